/**
 * Authenticates the requests of the console by the cookie of the browser session. Each names its context in a
 * header, which a form or a page of another origin cannot send, and the user it was made for.
 */
import { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import { acceptanceOf } from '../authentication/accepted.ts'
import {
  amrOf,
  authTimeOf,
  builtInProofs,
  loginTimeOf,
  type Proof,
  unconfirmedOf,
} from '../authentication/proofs.ts'
import type { Config } from '../config/config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { failureOf } from '../database/faults.ts'
import { readHandle } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { type Authority, type Caller, demand } from '../http/authority.ts'
import { isSameOrigin } from '../http/forms-and-cookies.ts'
import { isRead } from '../http/methods.ts'
import { signInTooOld } from '../http/recent-sign-in.ts'
import { isUuid } from '../http/uuid.ts'
import type { Recheck } from '../journal/events/stream.ts'
import { userIdOf } from '../oidc/policy/request-state.ts'
import { type Browser, readBrowser } from '../oidc/provider/browser-session.ts'
import { noteExemptVisit } from '../resources/memberships/exemption.ts'
import { type EnabledUser, findEnabledUser } from '../resources/sign-ins/queries.ts'
import { type ConsoleRights, findConsoleRights, type Level } from './queries.ts'

type Response = Pick<FastifyReply, 'raw'>
export type ConsoleParts = { db: Db; seal: Seal; config: Config; provider: () => Provider }

/** The user of the browser session; no step of a sign-in to the console is left. */
type Visitor = {
  user: EnabledUser
  /** The proofs that are valid everywhere. */
  proofs: Proof[]
  /** In seconds since 1970; null if no login counts. */
  authenticatedAt: number | null
  /** When the browser session ends. */
  endsAt: Date
}

/** Throws `csrf_rejected` for a request of another origin (Fetch metadata; Origin, RFC 6454 section 7). */
function demandSameOrigin(request: FastifyRequest, { BASE_URL }: Config): void {
  const { headers } = request
  const isKnown = headers['sec-fetch-site'] !== undefined || headers.origin !== undefined
  if (
    !isSameOrigin(request, BASE_URL) ||
    headers['sec-fetch-site'] === 'none' ||
    !(isKnown || isRead(request))
  )
    throw new Failure('csrf_rejected')
}

type Session = Pick<Browser, 'accountId' | 'proofs' | 'exp'>

/** Throws `sign_in_required` if no user is signed in. */
async function signedIn(parts: ConsoleParts, request: FastifyRequest, reply: Response) {
  const session = await readBrowser(parts, request, reply)
  const userId = userIdOf(session)
  if (!session || userId === undefined) throw new Failure('sign_in_required')
  return { session, userId }
}

/** Throws `sign_in_required` unless the sign-in is complete and not too old. */
async function visitorOf(
  parts: Pick<ConsoleParts, 'db' | 'config'>,
  { headers }: Pick<FastifyRequest, 'headers'>,
  { session, userId }: { session: Session; userId: string },
): Promise<Visitor> {
  const user = await findEnabledUser(parts.db, userId, null)
  if (!user) throw new Failure('sign_in_required')
  const proofs = builtInProofs(session.proofs ?? [], user)
  const loginAt = loginTimeOf(proofs)
  const { CONSOLE_SIGN_IN_MAX, CONSOLE_REQUIRE_MFA } = parts.config
  const isIncomplete =
    user.mustChangePassword ||
    unconfirmedOf(proofs, user).length > 0 ||
    ((user.hasOwnFactor || CONSOLE_REQUIRE_MFA) && !amrOf(proofs).includes('mfa'))
  if (loginAt === undefined || isIncomplete || Date.now() / 1_000 - loginAt > CONSOLE_SIGN_IN_MAX)
    throw new Failure('sign_in_required')
  const changed = headers['tenantry-user']
  if (changed !== undefined && changed !== user.id) throw new Failure('user_changed')
  return {
    user,
    proofs,
    authenticatedAt: authTimeOf(proofs, user) ?? null,
    endsAt: new Date((session.exp ?? 0) * 1_000),
  }
}

/** The user of a request for what belongs to no context: the contexts themselves. */
export async function ownerOf(
  parts: ConsoleParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<EnabledUser> {
  reply.header('vary', 'Cookie')
  demandSameOrigin(request, parts.config)
  return (await visitorOf(parts, request, await signedIn(parts, request, reply))).user
}

type Asked = { kind: 'platform' | 'system' | 'account'; systemId?: string; accountId?: string }

/** `platform`, `system:<id>` or `account:<id>`. */
function askedContext(header: string | string[] | undefined): Asked {
  if (typeof header !== 'string') throw new Failure('context_required')
  if (header === 'platform') return { kind: 'platform' }
  const [kind, id = ''] = header.split(':')
  if (!isUuid(id)) throw new Failure('context_not_found')
  if (kind === 'system') return { kind, systemId: id }
  if (kind === 'account') return { kind, accountId: id }
  throw new Failure('context_not_found')
}

type Access = Pick<Caller, 'authority' | 'systemId' | 'accountId'> & {
  level: Level
  /** What gives the user the right, its system, and whether that requires a second factor. */
  by: { authority: Authority; systemId: string; needsFactor: boolean }
}

/**
 * What a user may do in a context. One who has the whole installation may view any system and any account as
 * its administrator, without changing it.
 */
function accessOf({ kind, accountId }: Asked, rights: ConsoleRights): Access | undefined {
  const { platform, systemId, needsFactor } = rights
  if (systemId === null) return undefined
  const byPlatform = {
    authority: 'platform' as const,
    systemId: rights.platformSystemId,
    needsFactor: rights.platformNeedsFactor,
  }
  if (kind === 'platform')
    return platform
      ? { authority: kind, systemId, accountId: null, level: platform, by: byPlatform }
      : undefined
  const place = { authority: kind, systemId, accountId: accountId ?? null }
  const own = kind === 'system' ? rights.system : rights.isAccountAdmin ? 'admin' : null
  if (own) return { ...place, level: own, by: { authority: kind, systemId, needsFactor } }
  return platform ? { ...place, level: 'viewer', by: byPlatform } : undefined
}

/**
 * Checks the sign-in by the rules of the system that gives the user the right. Throws
 * `insufficient_user_authentication` if the system accepts later ones only, and `second_factor_required` if
 * none was verified.
 */
async function demandOfSystem(
  { db }: Pick<ConsoleParts, 'db'>,
  { user, proofs }: Visitor,
  by: Access['by'],
): Promise<void> {
  const acceptance = await acceptanceOf(db, { userId: user.id, proofs }, by)
  if (acceptance === 'disabled') throw new Failure('context_not_found')
  if (acceptance === 'too_old') throw signInTooOld()
  if (acceptance === 'factor_missing') throw new Failure('second_factor_required')
}

async function callerOf(
  parts: ConsoleParts,
  request: FastifyRequest,
  reply: Response,
  asked = askedContext(request.headers['tenantry-context']),
) {
  const browser = await signedIn(parts, request, reply)
  const [visitor, rights] = await Promise.all([
    visitorOf(parts, request, browser),
    findConsoleRights(parts.db, browser.userId, asked),
  ])
  const access = accessOf(asked, rights)
  if (!access) throw new Failure('context_not_found')
  const { level, by, ...reach } = access
  await demandOfSystem(parts, visitor, by)
  const caller: Caller = {
    ...reach,
    actor: {
      ...request.actor,
      type: 'user',
      id: visitor.user.id,
      via: 'console',
      authority: by.authority,
    },
    expiresAt: visitor.endsAt,
    authenticatedAt: visitor.authenticatedAt,
  }
  const { exemptMembershipId: id } = rights
  if (id !== null && by.authority === 'account' && reach.accountId !== null) {
    const entered = { id, accountId: reach.accountId, systemId: by.systemId, userId: visitor.user.id }
    await noteExemptVisit(parts, caller.actor, entered, browser.session.uid)
  }
  return { caller, level }
}

/** The onRequest hook of everything under /console/api/admin: the counterpart of `adminGuard`. */
export function consoleGuard(parts: ConsoleParts) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.header('vary', 'Cookie')
    demandSameOrigin(request, parts.config)
    if (!isRead(request) && request.headers['tenantry-user'] === undefined) throw new Failure('user_required')
    const { caller, level } = await callerOf(parts, request, reply)
    request.caller = caller
    request.actor = caller.actor
    const { authority } = request.routeOptions.config
    demand(caller, Array.isArray(authority) ? authority : [])
    if (level === 'viewer' && !isRead(request)) throw new Failure('read_only')
  }
}

/** Whether the browser is signed in to the console as an administrator of the platform. */
export async function isPlatformAdmin(
  parts: ConsoleParts,
  request: FastifyRequest,
  reply: Response,
): Promise<boolean> {
  try {
    const { level } = await callerOf(parts, request, reply, { kind: 'platform' })
    return level === 'admin'
  } catch (error) {
    if ((failureOf(error)?.status ?? 500) < 500) return false
    throw error
  }
}

/**
 * The context in which the user of a browser session may read a system: the installation, or the system
 * itself. Undefined for anyone else.
 */
export const contextReading =
  ({ db, config }: Pick<ConsoleParts, 'db' | 'config'>) =>
  async (session: Session | undefined, systemId: string): Promise<string | undefined> => {
    const userId = userIdOf(session)
    if (!config.CONSOLE || !session || userId === undefined) return undefined
    const parts = { db: await readHandle(db), config }
    try {
      const visitor = await visitorOf(parts, { headers: {} }, { session, userId })
      const rights = await findConsoleRights(parts.db, userId, { systemId })
      const kind = rights.platform ? 'platform' : 'system'
      const access = accessOf({ kind, systemId }, rights)
      if (!access) return undefined
      await demandOfSystem(parts, visitor, access.by)
      return kind === 'platform' ? kind : `system:${systemId}`
    } catch (error) {
      if ((failureOf(error)?.status ?? 500) < 500) return undefined
      throw error
    }
  }

/** 2 s, in ms: each browser session takes four statements. */
const RECHECK = 2_000

/** Checks the browser sessions of long-lived requests again: those whose context is lost. */
export function recheckConsole(parts: ConsoleParts): Recheck {
  const isLost = async (request: FastifyRequest): Promise<boolean> => {
    try {
      const { caller } = await callerOf(parts, request, { raw: new ServerResponse(request.raw) })
      return caller.authority !== request.caller.authority || caller.systemId !== request.caller.systemId
    } catch (error) {
      if ((failureOf(error)?.status ?? 500) < 500) return true
      throw error
    }
  }
  return async (requests) => {
    const now = Date.now()
    const due = requests.filter(({ caller }) => now - (caller.checkedAt ?? 0) >= RECHECK)
    for (const { caller } of due) caller.checkedAt = now
    const lost = await Promise.all(due.map(isLost))
    return new Set(due.filter((_, index) => lost[index]))
  }
}
