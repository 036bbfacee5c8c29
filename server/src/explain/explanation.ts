/**
 * Why a user cannot sign in to a system: the steps of a sign-in, as the caller may know them. A system sees
 * what it reads of its users anyway (decision 0050): not their credentials of elsewhere, and their own flags
 * only once they have entered. The admin of an account sees the membership and the system's settings.
 */
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import { type Authority, authorityOf, type Caller, type Reach, reachOf } from '../http/authority.ts'
import { limitOfPassword } from '../http/limits/guard.ts'
import { membershipClaims } from '../oidc/policy/claims.ts'
import { rightsOf } from '../resources/sessions/queries.ts'
import { findSystem, type System } from '../resources/systems/queries.ts'
import { findReadable } from '../resources/users/readable.ts'
import {
  type Detail,
  type Explained,
  findExplained,
  findRequestEntry,
  findWaiting,
  listDetails,
  type RequestEntry,
  readHistory,
} from './queries.ts'
import {
  type Asked,
  type ExplainedStep,
  type ExplainedSystem,
  type KnownUser,
  type Situation,
  STEPS,
  type StepName,
} from './situation.ts'
import { stepsOf } from './steps.ts'

export type Question = {
  named: NamedUser | undefined
  systemId?: string | undefined
  accountId?: string | undefined
  acr?: 'mfa' | undefined
  scope?: string | undefined
  redirectUri?: string | undefined
  requestId?: string | undefined
}

type Parts = { db: Db; seal: Seal }

/** What a reader must not see of another system's or the user's own facts. */
const HIDDEN: Record<Authority, readonly StepName[]> = {
  platform: [],
  system: ['throttle'],
  account: ['client', 'credential', 'throttle', 'address', 'password', 'consent'],
}

/** Throws `system_not_found`, and `not_found` for a request that left no entry within the caller's reach. */
export async function explain({ db, seal }: Parts, caller: Caller, question: Question) {
  const reach = reachOf(caller)
  const entry =
    question.requestId === undefined ? undefined : await findRequestEntry(db, reach, question.requestId)
  if (question.requestId !== undefined && !entry)
    throw new Failure('not_found', {
      detail: 'No entry of the audit log about a sign-in has this requestId.',
    })
  if (entry?.systemId === null && question.systemId === undefined) return explainUnknownClient(db, entry)
  const systemId = reach.systemId ?? question.systemId ?? entry?.systemId ?? undefined
  if (systemId === undefined || (question.systemId ?? systemId).toLowerCase() !== systemId.toLowerCase())
    throw new Failure('system_not_found')
  const system = await findSystem(db, reach, systemId)
  const accountId = reach.accountId ?? question.accountId?.toLowerCase() ?? entry?.accountId ?? undefined
  const asked = askedOf(question, system, accountId, entry)
  const named = entry?.userId ? { userId: entry.userId } : question.named
  const namedId = named && (await idOf(db, reach, named))
  const found = namedId === undefined ? undefined : await findExplained(db, namedId, { systemId, accountId })
  const details = found ? await listDetails(db, found) : []
  const isKnown = found !== undefined && isInReach(reach, found, details)
  const email = named && 'email' in named ? named.email : undefined
  const waiting =
    !isKnown && email !== undefined && !reach.accountId && (await findWaiting(db, email, systemId))
  const throttle = isKnown && reach.systemId === undefined ? throttleOf(seal, found) : null
  const userId = isKnown ? found.user.id : UNKNOWN
  const history = await readHistory(db, { userId, systemId, accountId: reach.accountId ?? null, throttle })
  const situation = situationOf(authorityOf(caller), {
    system: explainedSystem(system),
    asked,
    found: isKnown ? found : undefined,
    details: isKnown ? details.filter((each) => !reach.accountId || each.accountId === reach.accountId) : [],
    waiting: waiting || undefined,
    history,
  })
  return explanationOf(situation, { entry, history, isNamed: named !== undefined })
}

type NamedUser = { userId: string } | { email: string }

/** An address names the user who has it as the reader reads it. */
const idOf = async (db: Db, { systemId: reader }: Reach, named: NamedUser): Promise<string | undefined> =>
  'userId' in named ? named.userId : findReadable(db, { email: named.email, reader })

/** The id of no user and of no system. */
const UNKNOWN = '00000000-0000-0000-0000-000000000000'

/** A request with the client id of no system: no other step is known. */
async function explainUnknownClient(db: Db, entry: RequestEntry) {
  const about = { userId: UNKNOWN, systemId: UNKNOWN, accountId: null, throttle: null }
  const history = await readHistory(db, about)
  const steps = STEPS.map((step): ExplainedStep => ({ step, verdict: 'unreached', code: null }))
  const code = `client_${entry.reason}`
  return {
    outcome: 'refused' as const,
    code,
    ...answerOf(beforeUser(steps, entry), entry, history),
    token: null,
  }
}

/** A system explains its users, an account its members: others are answered as unknown. */
const isInReach = ({ systemId, accountId }: Reach, { user }: Explained, details: Detail[]): boolean =>
  accountId !== undefined
    ? details.some((each) => each.accountId === accountId)
    : systemId === undefined || user.isInSystem

function askedOf(
  { acr, scope, redirectUri }: Question,
  system: System,
  accountId: string | undefined,
  entry: RequestEntry | undefined,
): Asked {
  const [, sent] = entry?.changes.redirectUri ?? []
  const scopes = scope?.split(' ').filter(Boolean) ?? system.allowedScopes
  return { accountId, acr, scopes, redirectUri: redirectUri ?? (typeof sent === 'string' ? sent : undefined) }
}

const explainedSystem = (system: System): ExplainedSystem => ({
  ...system,
  open: system.allowSelfRegister && !system.platform,
})

const throttleOf = (seal: Seal, { user, facts }: Explained): string =>
  limitOfPassword(seal, user.email, facts.ownHash).key

type History = Awaited<ReturnType<typeof readHistory>>
type Read = Pick<Situation, 'system' | 'asked' | 'details' | 'waiting'> & {
  found: Explained | undefined
  history: History
}

function situationOf(reader: Authority, { found, history, ...rest }: Read): Situation {
  const hidden = new Set(HIDDEN[reader])
  const user = found && (reader === 'platform' ? knownToAll(found) : knownToSystem(found, reader))
  if (reader === 'system' && user && !user.password && user.passkeys + user.identities === 0)
    hidden.add('credential').add('password')
  const { memberships = [], consents = {}, offers = [], isEntryAsked = false } = found?.access ?? {}
  return {
    reader,
    hidden,
    user,
    consents,
    memberships: memberships.filter(
      (each) => reader !== 'account' || each.accountId === rest.asked.accountId,
    ),
    // An offer shows that the address is verified, which others than the platform may not know.
    offers: reader === 'platform' ? offers : [],
    // Whether the user is a user of other systems.
    isEntryAsked: reader === 'platform' && isEntryAsked,
    throttledUntil: history.throttledUntil,
    session: history.session,
    ...rest,
  }
}

const passwordOf = ({ password }: Explained) =>
  password && { ...password, isExpired: password.isExpired === true }

function knownToAll(found: Explained): KnownUser {
  const { user, facts } = found
  const { createdAt, passkeys, identities, disabled, disabledHere } = facts
  const disabledBy = disabled ? 'platform' : disabledHere ? 'system' : null
  return { ...user, createdAt, passkeys, identities, disabledBy, password: passwordOf(found) }
}

/** The user without credentials of elsewhere; and without the user's own flags, unless they have entered. */
function knownToSystem(found: Explained, reader: Authority): KnownUser {
  const { user, facts } = found
  const { disabled, disabledHere, verifiedHere, hasEntered } = facts
  const password = passwordOf(found)
  const own = password?.scope == null ? null : password
  const isAccount = reader === 'account'
  return {
    id: user.id,
    emailVerified: verifiedHere || (hasEntered && user.emailVerified),
    mustChangePassword: own !== null && user.mustChangePassword,
    mustChangeEverywhere: false,
    hasEntered,
    hasFactor: !isAccount && facts.hasFactorHere,
    unconfirmed: [],
    createdAt: isAccount ? undefined : (facts.addedAt ?? undefined),
    disabledBy: isAccount ? null : disabledHere ? 'system' : disabled && hasEntered ? 'platform' : null,
    password: isAccount ? null : own,
    passkeys: facts.passkeysHere,
    identities: facts.identitiesHere,
  }
}

type Context = { entry: RequestEntry | undefined; history: History; isNamed: boolean }

function explanationOf(situation: Situation, { entry, history, isNamed }: Context) {
  const { steps: judged, membership } = stepsOf(situation)
  const steps = isNamed ? judged : beforeUser(judged, entry)
  const decisive =
    steps.find(({ verdict }) => verdict === 'refused') ?? steps.find(({ verdict }) => verdict === 'asked')
  const outcome: 'granted' | 'interaction' | 'refused' = !decisive
    ? 'granted'
    : decisive.verdict === 'refused'
      ? 'refused'
      : 'interaction'
  const detail = situation.details.find((each) => each.membershipId === membership?.membershipId)
  return {
    outcome,
    code: decisive ? `${decisive.step}_${decisive.code}` : null,
    ...answerOf(steps, entry, history),
    token: detail && situation.user ? tokenOf(situation, detail) : null,
  }
}

const answerOf = (steps: ExplainedStep[], entry: RequestEntry | undefined, history: History) => ({
  at: new Date(history.now).toISOString(),
  complete: !steps.some(({ code }) => code === 'not_shown'),
  steps,
  request: entry ? { time: entry.time.toISOString(), action: entry.action, reason: entry.reason } : null,
  attempts: history.attempts.map(({ time, ...attempt }) => ({
    time: new Date(time).toISOString(),
    ...attempt,
  })),
})

/** A request that was refused before its user was known: at the client, or with an address without a user. */
const beforeUser = (steps: ExplainedStep[], entry: RequestEntry | undefined): ExplainedStep[] =>
  steps.map((step, nth) => {
    if (entry?.action !== 'sign_in.refused') return step
    if (nth > 0) return { step: step.step, verdict: 'unreached', code: null }
    const { reason, redirectUri, ...others } = entry.changes
    const given = { ...others, ...(redirectUri && { sent: redirectUri }) }
    const facts = Object.fromEntries(Object.entries(given).map(([name, [, value]]) => [name, value]))
    const isStill = step.code === entry.reason
    return {
      ...(isStill ? step : { step: step.step }),
      verdict: 'refused',
      code: entry.reason,
      facts: { ...step.facts, ...facts },
    }
  })

/** The claims of an access token of a session that the user opens now. */
function tokenOf({ user, system, asked: { scopes } }: Situation, { rights, ...detail }: Detail) {
  return {
    sub: user?.id,
    client_id: system.clientId,
    scope: scopes.join(' '),
    ...membershipClaims({ ...detail, ...rightsOf(rights), sid: undefined }),
  }
}
