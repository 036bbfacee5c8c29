/**
 * Proofs: what a browser session knows about the authentication of its user. Each is one verified credential.
 * A proof by a credential of one system is valid in that system only, and a login by the connection of an
 * organization in its account only; none ever becomes valid elsewhere. Each place uses only the proofs that
 * are valid for it, so `acr`, `amr` and `auth_time` differ between places.
 */
import type { Scope } from '../http/authority.ts'
import { isRecent } from '../http/recent-sign-in.ts'
import { AMR } from './assurance.ts'

export type ProofMethod = keyof typeof AMR

type AnyProof = {
  userId: string
  /** ms since 1970, by the clock of the database, as the times before which a system accepts no proof. */
  at: number
  /** It was the login step, not a further one. */
  primary: boolean
  /** ms since 1970: its last use in a sign-in, before the first hour without one. */
  usedAt?: number
}

/** A proof by a credential of the user. */
export type OwnProof = AnyProof & {
  method: Exclude<ProofMethod, 'connection'>
  /** The id of the verified credential; null for an emailed code and a recovery code. */
  credential: string | null
  /** Where it is valid: everywhere, or in one system. */
  scope: Scope
  account?: undefined
  connection?: undefined
  mfa?: undefined
}

/**
 * A login by a connection of an organization: what its identity provider has asserted. The threat: whoever
 * controls that provider can assert anything about any member. So it is valid in the account of the
 * organization only (`proofsIn`); the other functions of this file behave as if it did not exist.
 */
export type AccountProof = AnyProof & {
  method: 'connection'
  /** The id of the link between the user and the subject at the provider. */
  credential: string
  /** The system of the account. */
  scope: string
  account: string
  connection: string
  /** The provider has stated a second factor, or is trusted to have asked for one; absent without. */
  mfa?: 'reported' | 'trusted'
  /** When the user authenticated in person; ms since 1970. Absent if unknown, and then never recent. */
  loginAt?: number
  /** When the provider ends its own session, if it says so; ms since 1970. */
  until?: number
}

export type Proof = OwnProof | AccountProof

/** A proof with any trace of an account is one of the account. */
const isAccountProof = (proof: Proof): proof is AccountProof =>
  proof.method === 'connection' || proof.account !== undefined || proof.connection !== undefined

const isOwnProof = (proof: Proof): proof is OwnProof => !isAccountProof(proof)

/** The proofs by credentials of the user, without those that are valid in one account only. */
export const ownProofs = (proofs: readonly Proof[]): OwnProof[] => proofs.filter(isOwnProof)

/** Whether a connection of an organization has signed the user in. Such a login establishes nothing else. */
export const isByConnection = (proofs: readonly Proof[]): boolean => proofs.some(isAccountProof)

/** What decides which proofs are valid for a system: `EnabledUser`. */
type Rules = {
  id: string
  credentials: readonly (string | null)[]
  unconfirmed: readonly string[]
  proofsAfter: number | null
  factorsAfter: number | null
}

/** A link of the user to a connection of an organization, as it is now. Without a link there is no row. */
export type ProvenLink = {
  id: string
  systemId: string
  accountId: string
  connectionId: string
  isEnabled: boolean
  /** The second factor of its logins is trusted without a statement of the provider. */
  isTrusted: boolean
  /** Its logins until this time do not count; ms since 1970. */
  proofsAfter: number | null
  /** How long a login counts, in hours. */
  sessionHours: number
}

/** An account in which a sign-in continues. `isClosed`: no credential of the user opens the membership. */
export type AccountPlace = { systemId: string; accountId: string; isClosed: boolean }

const isFactor = ({ method, primary }: Proof) => !primary && method !== 'mailedCode'

/**
 * The unconfirmed credentials of proofs: they are valid only together with an emailed code. The id of the
 * user stands for the recovery codes.
 */
export const unconfirmedOf = (
  proofs: readonly Proof[],
  { id, unconfirmed }: Pick<Rules, 'id' | 'unconfirmed'>,
): string[] =>
  ownProofs(proofs).flatMap(({ scope, method, credential }) => {
    const used = credential ?? (method === 'recoveryCode' ? id : undefined)
    return scope === null && used !== undefined && unconfirmed.includes(used) ? [used] : []
  })

/**
 * The proofs that are valid for a system; without one (the systems of the platform), those valid everywhere.
 * The threat: a system sets a password of a user, signs in with it, and uses the browser session for another
 * system (single sign-on), for `acr`, or for the user's own pages. So a proof counts only if
 *
 * 1. it is of this user, and of a credential that is valid everywhere or in this system;
 * 2. that credential still exists: `credentials` are the present ones, and a replaced password is another;
 * 3. it is younger than what the system has reset (`proofsAfter`; for a second factor also `factorsAfter`);
 * 4. as a login, its credential is confirmed, or no login of a confirmed one is left. The sign-in then asks
 *    for an emailed code (policy/owed.ts).
 */
export function validProofs(proofs: readonly Proof[], rules: Rules, systemId: Scope): OwnProof[] {
  const valid = acceptedProofs(proofs, rules, systemId)
  const confirmed = valid.filter((proof) => !proof.primary || unconfirmedOf([proof], rules).length === 0)
  return confirmed.some(({ primary }) => primary) ? confirmed : valid
}

/** The proofs that are valid at the built-in pages: an emailed code is none there. */
export const builtInProofs = (proofs: readonly Proof[], rules: Rules): OwnProof[] =>
  validProofs(
    proofs.filter(({ method }) => method !== 'mailedCode'),
    rules,
    null,
  )

const acceptedProofs = (proofs: readonly Proof[], rules: Rules, systemId: Scope): OwnProof[] =>
  ownProofs(proofs).filter(
    (proof) =>
      proof.userId === rules.id &&
      (proof.scope === null || proof.scope === systemId) &&
      (proof.credential === null || rules.credentials.includes(proof.credential)) &&
      proof.at > (rules.proofsAfter ?? 0) &&
      (!isFactor(proof) || proof.at > (rules.factorsAfter ?? 0)),
  )

/** The time of the newest login; undefined without a login. */
const lastLogin = (proofs: readonly Proof[]): number | undefined =>
  maxOf(proofs.flatMap(({ primary, at }) => (primary ? [at] : [])))

/**
 * The proofs that are valid in one account. Besides those that are valid in its system, a login by a
 * connection of this account counts if
 *
 * 1. it is of this user, and its link still exists, of the same connection;
 * 2. the connection is enabled, and trusted if the login was;
 * 3. it is younger than what the system or the connection has reset, and than the connection allows.
 *
 * Of two kinds of logins the newer one decides, and the other does not count. In a closed membership no login
 * of the user counts: a password neither opens it nor dates anything in it. Factors of the user remain.
 */
export function proofsIn(
  proofs: readonly Proof[],
  rules: Rules & { readAt: number; links: readonly ProvenLink[] },
  place: AccountPlace,
): Proof[] {
  const valid = validProofs(proofs, rules, place.systemId)
  const own = place.isClosed ? valid.filter(({ primary }) => !primary) : valid
  const logins = proofs.filter((proof) => isAccountProof(proof) && isLoginOf(proof, rules, place))
  const newest = lastLogin(logins)
  if (newest === undefined || newest < (lastLogin(own) ?? 0)) return own
  return [...logins.filter(({ at }) => at === newest), ...own.filter(({ primary }) => !primary)]
}

/** Whether one of the proofs is a login. */
export const hasLogin = (proofs: readonly Proof[]): boolean => proofs.some(({ primary }) => primary)

/** The accounts of a system in which the browser has a login by a connection that counts now. */
export const loginAccounts = (
  proofs: readonly Proof[],
  rules: Parameters<typeof proofsIn>[1],
  systemId: string,
): string[] => [...new Set(proofs.flatMap((proof) => accountIn(proof, rules, systemId)))]

const accountIn = (proof: Proof, rules: Parameters<typeof proofsIn>[1], systemId: string): string[] =>
  isAccountProof(proof) && isLoginOf(proof, rules, { systemId, accountId: proof.account })
    ? [proof.account]
    : []

/**
 * The proofs in a system before the account is known: any login opens the sign-in. With a login of the user
 * those by connections decide nothing yet.
 */
export function undecidedProofs(
  proofs: readonly Proof[],
  rules: Parameters<typeof proofsIn>[1],
  systemId: string,
): Proof[] {
  const own = validProofs(proofs, rules, systemId)
  if (hasLogin(own)) return own
  return [...proofs.filter((proof) => accountIn(proof, rules, systemId).length > 0), ...own]
}

/** 1 hour, in ms. */
const HOUR = 3_600_000

const isLoginOf = (
  proof: AccountProof,
  { id, readAt, proofsAfter, links }: Parameters<typeof proofsIn>[1],
  { systemId, accountId }: Omit<AccountPlace, 'isClosed'>,
): boolean =>
  proof.method === 'connection' &&
  proof.userId === id &&
  proof.primary &&
  proof.scope === systemId &&
  proof.account === accountId &&
  proof.at > (proofsAfter ?? 0) &&
  links.some(
    (link) =>
      link.id === proof.credential &&
      link.connectionId === proof.connection &&
      link.accountId === accountId &&
      link.systemId === systemId &&
      link.isEnabled &&
      (proof.mfa !== 'trusted' || link.isTrusted) &&
      proof.at > (link.proofsAfter ?? 0) &&
      readAt - proof.at < link.sessionHours * HOUR &&
      readAt < (proof.until ?? Number.POSITIVE_INFINITY),
  )

export const amrOf = (proofs: readonly Proof[]): string[] => [
  ...new Set(proofs.flatMap(({ method, mfa }) => [...AMR[method], ...(mfa ? ['mfa'] : [])])),
]

const maxOf = (times: readonly number[]): number | undefined =>
  times.length > 0 ? Math.max(...times) : undefined

const inSeconds = (time: number | undefined): number | undefined =>
  time === undefined ? undefined : Math.floor(time / 1_000)

/** The time of the last login, in seconds since 1970; undefined without a login. */
export const loginTimeOf = (proofs: readonly Proof[]): number | undefined => inSeconds(lastLogin(proofs))

/**
 * When the user last authenticated in person, in seconds since 1970: `auth_time`, what `max_age` and every
 * requirement of a recent sign-in are compared with (http/recent-sign-in.ts). `proofs`: those that are valid
 * in the place that asks. The threats: another identity provider in which the browser is still signed in
 * answers without asking the user for anything, so it counts only for a user without a password and a passkey
 * that are valid there; an emailed code can be talked out of someone. Of a login by a connection only the
 * time counts at which its provider says that the user authenticated.
 */
export const authTimeOf = (
  proofs: readonly Proof[],
  { withoutCredentials }: { withoutCredentials: boolean },
): number | undefined =>
  inSeconds(
    maxOf(
      proofs.flatMap((proof) => {
        if (!proof.primary) return []
        if (isAccountProof(proof)) return proof.loginAt === undefined ? [] : [proof.loginAt]
        const isCounted = proof.method !== 'mailedCode' && (proof.method !== 'social' || withoutCredentials)
        return isCounted ? [proof.at] : []
      }),
    ),
  )

/** 1 hour, in ms (NIST SP 800-63B section 2.2.3, AAL2). */
const IDLE_MAX = HOUR

const isIdle = ({ at, usedAt = at }: Proof, now: number): boolean => now - usedAt > IDLE_MAX

/** Whether none of the logins was made or used in the last hour. */
export const isLoginIdle = (proofs: readonly Proof[], now = Date.now()): boolean =>
  proofs.every((proof) => !proof.primary || isIdle(proof, now))

/**
 * The proofs of a browser session after some of them have signed in to a system. One that was not used for an
 * hour stays unused, even if another one signs in.
 */
export const withUsed = (proofs: readonly Proof[], used: readonly Proof[], now = Date.now()): Proof[] =>
  proofs.map((proof) => (used.includes(proof) && !isIdle(proof, now) ? { ...proof, usedAt: now } : proof))

/** Whether a second factor was verified in the last `age` seconds. */
export const isFactorRecent = (proofs: readonly Proof[], age: number): boolean =>
  amrOf(proofs.filter(({ at }) => Date.now() - at <= age * 1_000)).includes('mfa')

/**
 * The proofs that are at most `lifetime` seconds old (TTL_SESSION_MAX). The threat: the login of one system
 * prolongs the browser session, and with it a password that was entered weeks ago in another.
 */
export const unexpired = (proofs: readonly Proof[], lifetime: number, now = Date.now()): Proof[] =>
  proofs.filter(({ at }) => now - at <= lifetime * 1_000)

/** A browser session keeps the newest proofs of the user, and as many logins by connections. */
const PROOFS_MAX = 20

/**
 * The proofs of a browser session after another one. A login replaces all of its user, scope and account: a
 * further step of an earlier login is not a part of this one. A login of an organization replaces no other
 * proof, and displaces none.
 */
export function addProof(proofs: readonly Proof[], added: Proof): Proof[] {
  const kept = proofs.filter(
    ({ userId, scope, account, method, primary }) =>
      userId === added.userId &&
      !(
        scope === added.scope &&
        account === added.account &&
        (added.primary || (!primary && method === added.method))
      ),
  )
  const alike = kept.filter((proof) => isAccountProof(proof) === isAccountProof(added))
  const oldest = alike.slice(0, Math.max(0, alike.length + 1 - PROOFS_MAX))
  return [...kept.filter((proof) => !oldest.includes(proof)), added]
}

/** The proofs after the user has replaced a password that they had verified. */
export const withReplaced = (
  proofs: readonly Proof[],
  { replaced, by }: { replaced: string; by: string },
): Proof[] =>
  proofs.map((proof) =>
    isOwnProof(proof) && proof.credential === replaced ? { ...proof, credential: by } : proof,
  )

/**
 * Where a credential is valid that the user chooses in a session: everywhere, if the proofs that are valid
 * everywhere are a complete and recent authentication by themselves; otherwise in the system of the sign-in.
 * The threat: who knows the password that a system has set uses it beside an old login of the user. Undefined
 * if a connection has signed the user in: none is chosen, since it would be valid in other accounts too.
 */
export function choiceScope(
  proofs: readonly Proof[],
  { hasOwnFactor, withoutCredentials }: { hasOwnFactor: boolean; withoutCredentials: boolean },
  systemId: Scope,
): { scope: Scope } | undefined {
  if (isByConnection(proofs)) return undefined
  const own = proofs.filter(({ scope }) => scope === null)
  const hasVerifiedFactor = amrOf(own).includes('mfa')
  const isAuthenticated = isRecent(authTimeOf(own, { withoutCredentials }))
  return { scope: isAuthenticated && (!hasOwnFactor || hasVerifiedFactor) ? null : systemId }
}
