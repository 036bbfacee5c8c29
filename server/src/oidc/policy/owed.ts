/**
 * What a sign-in still requires, decided from one plain value. The prompts (prompts.ts) decide with the value
 * of a request, the explanation of a refusal (explain/) with one that is read from the database.
 */
import { AAL2, acrOf, asksForFactors, hasMailedCode } from '../../authentication/assurance.ts'
import {
  amrOf,
  hasLogin,
  isByConnection,
  isFactorRecent,
  isLoginIdle,
  type Proof,
  unconfirmedOf,
} from '../../authentication/proofs.ts'
import { isRecent, isWithin } from '../../http/recent-sign-in.ts'
import type { EnabledUser } from '../../resources/sign-ins/queries.ts'
import type { Choice } from './account-choice.ts'

/** The settings of a system that decide. `isBuiltIn`: the client of /account, which is no system. */
export type OwingClient = {
  isBuiltIn: boolean
  open: boolean
  requireEmailOtp: boolean
  requireMfa: boolean
  skipConsent: boolean
}

export type OwingUser = Pick<
  EnabledUser,
  'emailVerified' | 'mustChangePassword' | 'mustChangeEverywhere' | 'hasFactor' | 'unconfirmed' | 'hasEntered'
>

/** A request to /auth, with what the user has done since it began. */
type OwingRequest = {
  maxAge: number | undefined
  acrValues: string
  /** The user has logged in since. */
  hasLoggedIn: boolean
  /** The user has authenticated by a login that counts for `authTime`. */
  hasAuthenticated: boolean
  /** prompt=login. */
  asksLogin?: boolean
  /** The user has logged in since, by a connection of an organization. */
  hasLoggedInByConnection?: boolean
  /** The user has completed a step since. */
  hasActed: boolean
  /** A new user registers before anything else. */
  registers: boolean
  /** It confirms a device. */
  isDevice: boolean
  /** prompt=consent, not answered yet. */
  asksConsent: boolean
  scopes: readonly string[]
  /** Requested by name, with the parameter `claims`. */
  claims: readonly string[]
}

export type Owing = {
  client: OwingClient
  /** The id that the browser session names; undefined without a sign-in. */
  userId: string | undefined
  /** None if the user is disabled or deleted. */
  user: OwingUser | undefined
  /** The proofs of the browser session that are valid for the client. */
  proofs: readonly Proof[]
  /** The last login, in seconds since 1970. */
  loginTs: number | undefined
  /** The last login in person, in seconds since 1970 (`authTimeOf`). */
  authTime: number | undefined
  choice: Choice | undefined
  /** The user has logged in, but in this membership only logins by connections of its account count. */
  isClosed?: boolean
  /** The user has not entered the system, and is a user of another one. */
  isEntryAsked: boolean
  /** The account is still to be selected, and a connection has signed in to one of them. */
  awaitsAccount?: boolean
  request: OwingRequest
}

/**
 * 24 hours, in seconds: then a system or an account with requireMfa requires authentication with all factors
 * again, and also after an hour without a sign-in to any system (NIST SP 800-63B AAL2).
 */
const FACTORS_MAX = 86_400

/** Whether the user has logged in with a credential that is valid for the client. */
export const isAuthenticated = ({ proofs }: Owing): boolean => hasLogin(proofs)

/**
 * Whether the system may know that the user is here: they have entered it, or have logged in with a
 * credential of the system itself.
 */
export const isKnown = ({
  user,
  proofs,
}: {
  user: Pick<OwingUser, 'hasEntered'> | undefined
  proofs: readonly Proof[]
}): boolean => user?.hasEntered === true || proofs.some(({ primary, scope }) => primary && scope !== null)

/** Whether an error now would tell the system of a stranger who has done nothing in this sign-in. */
export const isPassingStranger = (owing: Owing): boolean =>
  !owing.client.isBuiltIn && owing.userId !== undefined && !owing.request.hasActed && !isKnown(owing)

/**
 * `max_age` (OpenID Connect Core section 3.1.2.1). Any age is met by a login in this sign-in, also 0. A login
 * by another identity provider alone does not meet it if the user has a password or a passkey.
 */ export const isLoginRequired = ({ request, userId, authTime }: Owing): boolean =>
  request.maxAge !== undefined &&
  userId !== undefined &&
  !request.hasAuthenticated &&
  !isWithin(authTime, request.maxAge)

const hasFactor = ({ user }: Owing): boolean => user?.hasFactor === true

/**
 * Whether the system or the account of the sign-in requires a second factor: the account once the user has
 * accepted to be a member, so that no user has to enroll a factor for an account of strangers.
 */
const requiresMfa = (owing: Owing): boolean =>
  owing.client.requireMfa || accountRequiringMfa(owing) !== undefined

/**
 * Whether the user's own credentials open a membership of an account that requires single sign-on, since the
 * member is exempt. A second factor that the user has stands for the connection, and nothing is enrolled.
 */
export const isExemptLogin = ({ choice, proofs }: Pick<Owing, 'choice' | 'proofs'>): boolean =>
  choice?.kind === 'selected' && choice.membership.exemption === 'valid' && !isByConnection(proofs)

/** The account that requires a second factor, in which the sign-in continues. */
export const accountRequiringMfa = (owing: Owing): string | undefined => {
  const { choice } = owing
  if (choice?.kind !== 'selected') return undefined
  const isOwed = choice.membership.requireMfa || isExemptLogin(owing)
  const isRequired = isOwed && !isEntryRequired(owing)
  return isRequired ? choice.membership.accountName : undefined
}

/** A first factor is enrolled only after a recent login, as on /account: a passkey signs in by itself. */
const isTooOldToEnroll = (owing: Owing): boolean =>
  !isRecent(owing.authTime) && !hasFactor(owing) && isFactorRequired(owing) && !isRefusedFactor(owing)

/**
 * A second factor is required, the provider of the organization has confirmed none, and the user has none.
 * None is enrolled, as it would be valid in other accounts: right after the login the sign-in is refused.
 */
export const isRefusedFactor = (owing: Owing): boolean =>
  isByConnection(owing.proofs) && !hasFactor(owing) && owing.request.hasLoggedIn && isFactorRequired(owing)

export const isTooOldForFactors = (owing: Owing): boolean => {
  if (owing.userId === undefined) return false
  const isOld = !isWithin(owing.loginTs, FACTORS_MAX) || isLoginIdle(owing.proofs)
  return (requiresMfa(owing) && isOld && !owing.request.hasLoggedIn) || isTooOldToEnroll(owing)
}

/** A device is confirmed only after a recent sign-in, because a link to its code can come from anyone. */
export const isTooOldForDevice = (owing: Owing): boolean =>
  owing.request.isDevice && owing.userId !== undefined && !isRecent(owing.authTime)

/**
 * Whether the user has to log in by a connection of the account: the membership is closed, and no such login
 * counts, or none that is recent enough. Another login in this sign-in changes nothing: it does not count.
 */
export const isConnectionRequired = (owing: Owing): boolean => {
  const { isClosed = false, request } = owing
  const isAskedAgain = request.asksLogin === true && !request.hasLoggedInByConnection
  return isClosed && (!isAuthenticated(owing) || isAskedAgain || isTooOldForFactors(owing))
}

/** The credentials of this sign-in that a code sent to the user's address confirms. */
export const confirmedByCode = ({ proofs, user, userId }: Owing): string[] =>
  unconfirmedOf(proofs, { id: userId ?? '', unconfirmed: user?.unconfirmed ?? [] })

/** A user who joins or confirms a credential verifies the address, which blocks no other sign-in. */
export const isEmailRequired = (owing: Owing): boolean =>
  confirmedByCode(owing).length > 0 || (canJoin(owing) && owing.user?.emailVerified !== true)

/**
 * A temporary password that is valid everywhere is replaced only after a login with a credential that is
 * valid everywhere: one of a system opens that system, and replaces nothing elsewhere.
 */
export const mustChangePassword = ({ user, proofs }: Owing): boolean =>
  user?.mustChangePassword === true &&
  !isByConnection(proofs) &&
  (!user.mustChangeEverywhere || isOwnLogin({ proofs }))

/**
 * A code by email: once in a browser session, for systems with requireEmailOtp, unless the provider of an
 * organization is trusted; and once with the user's own credentials in a membership that others have added.
 */
export const isEmailCodeRequired = (owing: Owing): boolean => {
  const { client, proofs } = owing
  if (owing.awaitsAccount) return false
  const isTrusted = proofs.some(({ mfa }) => mfa === 'trusted')
  const isAsked = (client.requireEmailOtp && !isTrusted) || isEntryConfirmed(owing)
  return isAsked && !hasMailedCode(amrOf(proofs))
}

/** Whether the user's own credentials open the membership only with a code that is mailed to the user. */
const isEntryConfirmed = ({ choice, proofs }: Owing): boolean =>
  choice?.kind === 'selected' && choice.membership.confirmEntry && !isByConnection(proofs)

/**
 * A second factor: for every user if the system, the account or the request requires it, and
 * always for a user who has one, unless the organization signs the user in.
 */
export function isFactorRequired(owing: Owing): boolean {
  const { proofs, request } = owing
  if (owing.awaitsAccount) return false
  // Proofs of different scopes have times of their own: a new login leaves the factor of an earlier one.
  if (requiresMfa(owing) && !isFactorRecent(proofs, FACTORS_MAX)) return true
  if (acrOf(amrOf(proofs)) === AAL2) return false
  const isOwn = hasFactor(owing) && !isByConnection(proofs)
  return requiresMfa(owing) || asksForFactors(request.acrValues) || isOwn
}

/** Whether a second factor is required as soon as the user has accepted the membership. */
export const owesFactorAfterEntry = (owing: Owing): boolean =>
  isFactorRequired({ ...owing, isEntryAsked: false })

/** Whether the user is no member of the system, and the system is open. */
export const canJoin = ({ choice, client }: Owing): boolean =>
  choice?.kind === 'refused' && choice.reason === 'none' && client.open

/** Why the user has no access; undefined if they have. */
export const refusalOf = ({ choice }: Owing) => (choice?.kind === 'refused' ? choice.reason : undefined)

export const isSelectionRequired = ({ choice }: Owing): boolean => choice?.kind === 'several'

/** prompt=consent; ignored for a first-party system. */
export const isConsentRequested = ({ client, request }: Owing): boolean =>
  !client.skipConsent && request.asksConsent

/** Whether the user has logged in with a credential that is valid everywhere. */
export const isOwnLogin = ({ proofs }: Pick<Owing, 'proofs'>): boolean =>
  proofs.some(({ primary, scope }) => primary && scope === null)

/**
 * Whether the user is asked to accept the membership, whatever the system's `skipConsent`: the platform has
 * not added them, with their own credentials they have not entered the system before, and they use another
 * system. A user who joins with their own credentials enters then (memberships/join.ts); with a password of
 * the system, the system may have joined.
 */
export const isEntryRequired = (owing: Owing): boolean =>
  owing.isEntryAsked &&
  owing.choice?.kind === 'selected' &&
  owing.choice.membership.addedBy !== 'platform' &&
  isOwnLogin(owing)
