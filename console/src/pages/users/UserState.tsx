import { Badge } from '../../parts/Badge.tsx'
import { clock } from '../../parts/Time.tsx'
import { fill, texts } from '../../texts/texts.ts'

/** Nothing is shown for a user who can sign in, or of whom only the address is known. */
export const UserState = ({ disabled }: { disabled?: boolean | undefined }) =>
  disabled ? <Badge tone="bad">{texts.users.disabled}</Badge> : null

/** The user has to wait after too many wrong attempts. */
export const WaitBadge = ({ until }: { until: string | undefined }) =>
  until === undefined ? null : <Badge tone="wait">{fill(texts.limits.waits, { time: clock(until) })}</Badge>

/** Nothing is shown for an address that is verified. */
export const AddressState = ({ emailVerified }: { emailVerified?: boolean | undefined }) =>
  emailVerified === false ? <Badge tone="wait">{texts.users.unverified}</Badge> : null
