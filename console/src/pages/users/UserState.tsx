import { Badge } from '../../parts/Badge.tsx'
import { clock } from '../../parts/Time.tsx'
import { fill, texts } from '../../texts/texts.ts'

/** Nothing is shown for a user of whom only the address is known. */
export const UserState = ({ disabled }: { disabled?: boolean | undefined }) =>
  disabled === undefined ? null : (
    <Badge tone={disabled ? 'bad' : 'good'}>{disabled ? texts.users.disabled : texts.users.enabled}</Badge>
  )

/** The user has to wait after too many wrong attempts. */
export const WaitBadge = ({ until }: { until: string | undefined }) =>
  until === undefined ? null : <Badge tone="wait">{fill(texts.limits.waits, { time: clock(until) })}</Badge>

export const AddressState = ({ emailVerified }: { emailVerified?: boolean | undefined }) =>
  emailVerified === undefined ? null : (
    <Badge tone={emailVerified ? 'good' : 'wait'}>
      {emailVerified ? texts.users.verified : texts.users.unverified}
    </Badge>
  )
