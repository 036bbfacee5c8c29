/**
 * The account of a sign-in, and the grant for it: what the user allows a system in that account. The account
 * is decided by policy/account-choice.ts; prompts.ts asks the user when that decides nothing. The library's
 * grants are our sessions: ending a session ends every code and token that belongs to it.
 */
import { isDeepStrictEqual } from 'node:util'
import {
  type Adapter,
  type AdapterPayload,
  errors,
  type Grant,
  type KoaContextWithOIDC,
  type Provider,
} from 'oidc-provider'
import { AAL2, acrOf } from '../authentication/assurance.ts'
import { amrOf } from '../authentication/proofs.ts'
import type { Db } from '../database/database.ts'
import { afterCommit, currentTransaction, readHandle, writeHandle } from '../database/transaction.ts'
import { record, recordWithArtifacts } from '../journal/audit/record.ts'
import { enqueue } from '../journal/events/enqueue.ts'
import { noteActive } from '../journal/stats/count.ts'
import { type EndReason, endSessions } from '../lifecycle/end-sessions.ts'
import { batchCondition, flushBatch } from '../resources/artifacts/write.ts'
import { noteExemptSignIn } from '../resources/memberships/exemption.ts'
import { type ConnectionLogin, lockConnected, lockOpening } from '../resources/sessions/opening.ts'
import {
  type Authentication,
  type Member,
  sessionOpened,
  updateExpiry,
  updateGrant,
} from '../resources/sessions/queries.ts'
import { ACCOUNT_CLIENT_ID, isAccountClient, systemIdOfClient } from './clients/client.ts'
import { decideAccount } from './policy/account-logins.ts'
import { grantedOf } from './policy/consent.ts'
import { isExemptLogin } from './policy/owed.ts'
import { selectProofs } from './policy/proofs.ts'
import {
  actorOf,
  currentMember,
  libraryIds,
  memberOf,
  requestContext,
  requestState,
  type SessionId,
  signInOf,
  type UserId,
  userIdOf,
} from './policy/request-state.ts'
import { isTest } from './policy/requested.ts'
import { type Storage, unused } from './policy/storage.ts'

/** The resource a token is for unless the request names one: the system itself, through its own audience. */
export const defaultResource = (issuer: string) => issuer

/**
 * The library's loadExistingGrant (OpenID Connect Core section 3.1.2.4). The threat: a grant of one account
 * of a user would answer for another, or a stored consent would give more than what is allowed now. So the
 * grant is decided anew for each request, and never looked up by user and client:
 *
 * 1. one statement reads memberships, consents, blocks and invitations of the user in this system, of many
 *    only a page and the one that is named;
 * 2. `chooseAccount` decides the account from `account_id`, the user's selection, or the only membership;
 * 3. the session of the browser is used only if it is of this membership and this user;
 * 4. of the scopes and claims of the request, those are granted that the user has consented to in this
 *    account, and all for a first-party system.
 *
 * A new grant is stored only when no prompt is left (openSession).
 */
export function loadGrantIn(db: Db) {
  return async (ctx: KoaContextWithOIDC): Promise<Grant | undefined> => {
    const { account, client, session } = ctx.oidc
    const userId = userIdOf(account)
    if (!userId || !client || !session) return undefined
    if (isAccountClient(client)) return accountGrant(ctx, userId)
    const handle = await readHandle(db)
    const signIn = await signInOf(ctx, handle, userId)
    const { consents = {}, isEntryAsked = false, offers = [] } = signIn ?? {}
    requestState(ctx).isEntryAsked = isEntryAsked
    const multiAccount = client.tenantry.multiAccount
    const {
      choice,
      proofs,
      isClosed = false,
    } = decideAccount(ctx, signIn, multiAccount && mayAccept(ctx) ? offers : [])
    Object.assign(requestState(ctx), { choice, isClosed })
    if (signIn && proofs) selectProofs(ctx, signIn.user, proofs)
    if (choice?.kind !== 'selected') return undefined

    const provider = ctx.oidc.provider as Provider
    const current = await currentMember(ctx, handle)
    const isSame =
      current?.membershipId === choice.membership.membershipId &&
      current.user.id === userId &&
      current.connectionId === connectionOf(ctx)
    const existing = isSame ? await provider.Grant.find(current.sid) : undefined
    const grant = existing ?? new provider.Grant({ ...libraryIds({ userId }), clientId: client.clientId })
    const withoutContact = !(existing ? current?.ownCredentials : authenticationOf(ctx).enters)
    requestState(ctx).withoutContact = withoutContact
    const consented = client.tenantry.skipConsent
      ? undefined
      : (consents[choice.membership.accountId] ?? { scopes: [], claims: [] })
    const requestedOf = { scopes: ctx.oidc.requestParamScopes, claims: ctx.oidc.requestParamClaims }
    const { scopes, claims } = grantedOf(requestedOf, { consented, withoutContact })
    if (claims.length > 0) grant.addOIDCClaims(claims)
    if (scopes.length > 0) {
      grant.addOIDCScope(scopes)
      grant.addResourceScope(defaultResource(provider.issuer), scopes)
    }
    return grant
  }
}

/**
 * Whether this sign-in may accept invitations: the user is present, and has signed in with own credentials.
 * The answer to `prompt=none` does not tell a system that it has invited the visitor.
 */
const mayAccept = (ctx: KoaContextWithOIDC): boolean =>
  !isTest(ctx) && !ctx.oidc.prompts.has('none') && authenticationOf(ctx).enters

/** The grant of the built-in client. It is never stored: it only says that no consent is required. */
function accountGrant({ oidc }: KoaContextWithOIDC, userId: UserId): Grant {
  const provider = oidc.provider as Provider
  const grant = new provider.Grant({ ...libraryIds({ userId }), clientId: ACCOUNT_CLIENT_ID })
  const scopes = [...oidc.requestParamScopes]
  grant.addOIDCScope(scopes)
  grant.addResourceScope(defaultResource(provider.issuer), scopes)
  return grant
}

/** Grants are stored as sessions, with the membership that the request is decided for. */
export function grantAdapter({ db, config, seal }: Storage): Adapter {
  return {
    ...unused,
    async find(sid) {
      await flushBatch('Grant')
      const ctx = requestContext()
      const member = ctx && (await memberOf(ctx, await readHandle(db), sid as SessionId))
      return member && grantPayload(member)
    },
    async upsert(sid, payload, expiresIn = config.TTL_REFRESH_TOKEN_MAX) {
      const ctx = requestContext()
      const choice = ctx && requestState(ctx).choice
      if (!ctx || choice?.kind !== 'selected')
        throw new Error('a grant is saved only for a chosen membership')
      const userId = userIdOf(payload)
      const { clientId, accountId: _, iat, exp, jti, kind, ...grant } = payload
      const session = ctx.oidc.session
      const { acr, amr } = session ?? {}
      const known =
        requestState(ctx).newSession === sid
          ? undefined
          : await memberOf(ctx, await readHandle(db), sid as SessionId)
      if (known) {
        if (ctx.oidc.result?.login) await renewConnected(db, ctx, known)
        const now = { grant, acr: acr ?? known.acr, amr: amr ?? known.amr }
        return isSame(known, now) ? undefined : updateGrant(await writeHandle(db), sid, now)
      }
      const actor = actorOf(ctx)
      const { accountId, membershipId } = choice.membership
      const lifetime = Math.min(
        ...[expiresIn, config.TTL_REFRESH_TOKEN_MAX],
        await allowedByConnection(db, ctx, { membershipId, userId: String(userId) }),
      )
      await endOther(db, ctx, { membershipId, userId: String(userId) })
      const opened = {
        sid,
        userId: String(userId),
        membershipId,
        browserUid: session?.uid ?? null,
        grant,
        acr: acr ?? null,
        amr: amr ?? [],
        connectionId: connectionOf(ctx),
        ip: actor.ip,
        userAgent: actor.userAgent,
      }
      if (!batchCondition(sessionOpened(opened, authenticationOf(ctx), lifetime, noMembership)))
        throw new Error('a session is opened only in a protocol request')
      const systemId = systemIdOfClient(ctx.oidc.client)
      if (systemId !== null) afterCommit(() => noteActive(systemId, opened.userId))
      await recordWithArtifacts(db, actor, {
        action: 'session.opened',
        target: { type: 'session', id: sid },
        systemId,
        accountId,
      })
      if (systemId !== null && isExemptLogin(requestState(ctx))) {
        const entered = { id: membershipId, accountId, systemId, userId: opened.userId }
        await noteExemptSignIn(await writeHandle(db), { seal }, actor, entered)
      }
    },
    /**
     * The library destroys a grant after a replay or a revocation. That ends the session,
     * even if the request is refused.
     */
    async destroy(sid) {
      const ctx = requestContext()
      if (ctx) await endRevoked(await writeHandle(db), ctx, sid as SessionId)
    },
  }
}

function authenticationOf(ctx: KoaContextWithOIDC): Authentication {
  const { proofs } = requestState(ctx)
  return {
    since: Math.min(...proofs.map(({ at }) => at)),
    enters: proofs.some(({ primary, scope }) => primary && scope === null),
    hasFactor: acrOf(amrOf(proofs)) === AAL2,
  }
}

/** The connection that has signed the user in, if it decides. */
const connectionOf = (ctx: KoaContextWithOIDC): string | null => connectionLoginOf(ctx)?.connection ?? null

function connectionLoginOf(ctx: KoaContextWithOIDC): ConnectionLogin | undefined {
  const login = requestState(ctx).proofs.find(({ primary }) => primary)
  return login?.connection === undefined ? undefined : login
}

type Opened = { membershipId: string; userId: string }

/**
 * The seconds that a session may last if a connection has signed the user in, which the change of a
 * connection, link, role or account does not end from here on. A login of the user costs no statement.
 */
async function allowedByConnection(db: Db, ctx: KoaContextWithOIDC, opened: Opened): Promise<number> {
  const login = connectionLoginOf(ctx)
  if (!login) return Number.POSITIVE_INFINITY
  const lifetime = await lockConnected(await writeHandle(db), opened, login)
  if (lifetime === undefined) throw noMembership()
  return lifetime
}

/**
 * A login by the connection that has opened the session begins its time again. Whatever asks no provider,
 * such as `prompt=none`, does not.
 */
async function renewConnected(db: Db, ctx: KoaContextWithOIDC, { sid, membershipId, user }: Member) {
  const lifetime = await allowedByConnection(db, ctx, { membershipId, userId: user.id })
  if (Number.isFinite(lifetime)) await updateExpiry(await writeHandle(db), sid, lifetime)
}

/** The session of the browser in the same account, which another kind of login has opened, is replaced. */
async function endOther(db: Db, ctx: KoaContextWithOIDC, opened: Opened): Promise<void> {
  const before = await currentMember(ctx, await readHandle(db))
  if (before?.membershipId !== opened.membershipId || before.connectionId === connectionOf(ctx)) return
  const tx = await writeHandle(db)
  await lockOpening(tx, opened)
  await endSessions(tx, actorOf(ctx), { sid: before.sid }, 'account_switched')
}

const noMembership = () => new errors.AccessDenied('the user has no active membership')

type Stored = Pick<Member, 'grant' | 'acr' | 'amr'>

/**
 * A sign-in in an existing browser session mostly grants the same scopes again; the row is then not written.
 */
const isSame = ({ grant, acr, amr }: Stored, now: Stored) =>
  isDeepStrictEqual({ grant, acr, amr }, { ...now, grant: copyOf(now.grant) })

/** For a grant, this takes a quarter of the time of structuredClone. */
const copyOf = (grant: Member['grant']): Member['grant'] => JSON.parse(JSON.stringify(grant))

function grantPayload(member: Member): AdapterPayload {
  // The database decides whether a session has expired; the library requires a time.
  const now = Math.floor(Date.now() / 1_000)
  return {
    ...copyOf(member.grant), // the library changes it, and isSame compares
    ...libraryIds({ userId: member.user.id }),
    clientId: member.clientId,
    jti: member.sid,
    kind: 'Grant',
    iat: now,
    exp: now + 60,
  } as AdapterPayload
}

/** Ends a session whose grant was revoked by its client, by a logout or by a replay. */
export async function endRevoked(tx: Db, ctx: KoaContextWithOIDC, sid: SessionId): Promise<void> {
  currentTransaction()?.keep()
  const reason = revocationReason(ctx)
  const actor = actorOf(ctx)
  const member = reason === 'refresh_reuse' ? await memberOf(ctx, tx, sid) : undefined
  const ended = await endSessions(tx, actor, { sid }, reason)
  if (ended === 0 || !member) return
  const { systemId, accountId, membershipId, user } = member
  await record(tx, actor, {
    action: 'security.refresh_reuse',
    outcome: 'failure',
    target: { type: 'session', id: sid },
    systemId,
    accountId,
  })
  await enqueue(tx, {
    type: 'security.refresh_reuse',
    systemId,
    accountId,
    userId: user.id,
    membershipId,
    data: {
      sid,
      user: { id: user.id, email: user.email },
      membershipId,
      accountId,
      systemId,
      actor: { type: actor.type, id: actor.id },
    },
  })
}

function revocationReason(ctx: KoaContextWithOIDC): EndReason {
  if (ctx.oidc.route === 'revocation') return 'token_revoked'
  if (ctx.oidc.route.startsWith('end_session')) return 'logout'
  return ctx.oidc.params?.grant_type === 'refresh_token' ? 'refresh_reuse' : 'code_replay'
}
