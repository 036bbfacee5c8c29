import { Badge } from '../../parts/Badge.tsx'
import { texts } from '../../texts/texts.ts'
import type { User } from './user.ts'

/** Of a user without these fields nothing is known. */
export const UserState = ({ disabled }: Pick<User, 'disabled'>) =>
  disabled === undefined ? null : (
    <Badge tone={disabled ? 'bad' : 'good'}>{disabled ? texts.users.disabled : texts.users.enabled}</Badge>
  )

export const AddressState = ({ emailVerified }: Pick<User, 'emailVerified'>) =>
  emailVerified === undefined ? null : (
    <Badge tone={emailVerified ? 'good' : 'wait'}>
      {emailVerified ? texts.users.verified : texts.users.unverified}
    </Badge>
  )
