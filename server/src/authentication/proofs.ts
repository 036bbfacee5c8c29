/**
 * Proofs: what a browser session knows about the authentication of its user. Each is one verified credential.
 * A proof by a credential of one system is valid in that system only; it never becomes valid elsewhere. Each
 * system uses only the proofs that are valid for it, so `acr`, `amr` and `auth_time` differ between systems.
 */
import type { Scope } from '../http/authority.ts'
import { isRecent } from '../http/recent-sign-in.ts'
import { AMR } from './assurance.ts'

export type ProofMethod = keyof typeof AMR

export type Proof = {
  userId: string
  method: ProofMethod
  /** The id of the verified credential; null for an emailed code and a recovery code. */
  credential: string | null
  /** Where it is valid: everywhere, or in one system. */
  scope: Scope
  /** ms since 1970, by the clock of the database, as the times before which a system accepts no proof. */
  at: number
  /** It was the login step, not a further one. */
  primary: boolean
  /** ms since 1970: its last use in a sign-in, before the first hour without one. */
  usedAt?: number
}

/** What decides which proofs are valid for a system: `EnabledUser`. */
type Rules = {
  id: string
  credentials: readonly (string | null)[]
  unconfirmed: readonly string[]
  proofsAfter: number | null
  factorsAfter: number | null
}

const isFactor = ({ method, primary }: Proof) => !primary && method !== 'mailedCode'

/**
 * The unconfirmed credentials of proofs: they are valid only together with an emailed code. The id of the
 * user stands for the recovery codes.
 */
export const unconfirmedOf = (
  proofs: readonly Proof[],
  { id, unconfirmed }: Pick<Rules, 'id' | 'unconfirmed'>,
): string[] =>
  proofs.flatMap(({ scope, method, credential }) => {
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
export function validProofs(proofs: readonly Proof[], rules: Rules, systemId: Scope): Proof[] {
  const valid = acceptedProofs(proofs, rules, systemId)
  const confirmed = valid.filter((proof) => !proof.primary || unconfirmedOf([proof], rules).length === 0)
  return confirmed.some(({ primary }) => primary) ? confirmed : valid
}

/** The proofs that are valid at the built-in pages: an emailed code is none there. */
export const builtInProofs = (proofs: readonly Proof[], rules: Rules): Proof[] =>
  validProofs(
    proofs.filter(({ method }) => method !== 'mailedCode'),
    rules,
    null,
  )

const acceptedProofs = (proofs: readonly Proof[], rules: Rules, systemId: Scope): Proof[] =>
  proofs.filter(
    (proof) =>
      proof.userId === rules.id &&
      (proof.scope === null || proof.scope === systemId) &&
      (proof.credential === null || rules.credentials.includes(proof.credential)) &&
      proof.at > (rules.proofsAfter ?? 0) &&
      (!isFactor(proof) || proof.at > (rules.factorsAfter ?? 0)),
  )

export const amrOf = (proofs: readonly Proof[]): string[] => [
  ...new Set(proofs.flatMap(({ method }) => [...AMR[method]])),
]

const newestOf = (proofs: readonly Proof[]): number | undefined =>
  proofs.length > 0 ? Math.floor(Math.max(...proofs.map(({ at }) => at)) / 1_000) : undefined

/** The time of the last login, in seconds since 1970; undefined without a login. */
export const loginTimeOf = (proofs: readonly Proof[]): number | undefined =>
  newestOf(proofs.filter(({ primary }) => primary))

/**
 * When the user last authenticated in person, in seconds since 1970: `auth_time`, what `max_age` and every
 * requirement of a recent sign-in are compared with (http/recent-sign-in.ts). `proofs`: those that are valid
 * in the place that asks. The threats: another identity provider in which the browser is still signed in
 * answers without asking the user for anything, so it counts only for a user without a password and a passkey
 * that are valid there; an emailed code can be talked out of someone.
 */
export const authTimeOf = (
  proofs: readonly Proof[],
  { withoutCredentials }: { withoutCredentials: boolean },
): number | undefined =>
  newestOf(
    proofs.filter(
      ({ primary, method }) =>
        primary && method !== 'mailedCode' && (method !== 'social' || withoutCredentials),
    ),
  )

/** 1 hour, in ms (NIST SP 800-63B section 2.2.3, AAL2). */
const IDLE_MAX = 3_600_000

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

/** A browser session keeps the newest proofs. */
const PROOFS_MAX = 20

/**
 * The proofs of a browser session after another one. A login replaces all of its user and scope: a further
 * step of an earlier login is not a part of this one.
 */
export function addProof(proofs: readonly Proof[], added: Proof): Proof[] {
  const kept = proofs.filter(
    ({ userId, scope, method, primary }) =>
      userId === added.userId &&
      !(scope === added.scope && (added.primary || (!primary && method === added.method))),
  )
  return [...kept, added].slice(-PROOFS_MAX)
}

/** The proofs after the user has replaced a password that they had verified. */
export const withReplaced = (
  proofs: readonly Proof[],
  { replaced, by }: { replaced: string; by: string },
): Proof[] => proofs.map((proof) => (proof.credential === replaced ? { ...proof, credential: by } : proof))

/**
 * Where a credential is valid that the user chooses in a session: everywhere, if the proofs that are valid
 * everywhere are a complete and recent authentication by themselves; otherwise in the system of the sign-in.
 * The threat: who knows the password that a system has set uses it beside an old login of the user.
 */
export function choiceScope(
  proofs: readonly Proof[],
  { hasOwnFactor, withoutCredentials }: { hasOwnFactor: boolean; withoutCredentials: boolean },
  systemId: Scope,
): Scope {
  const own = proofs.filter(({ scope }) => scope === null)
  const hasVerifiedFactor = amrOf(own).includes('mfa')
  const isAuthenticated = isRecent(authTimeOf(own, { withoutCredentials }))
  return isAuthenticated && (!hasOwnFactor || hasVerifiedFactor) ? null : systemId
}
