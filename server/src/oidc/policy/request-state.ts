/**
 * The state of one protocol request: the actor, the authentication of the client, the rows that several parts
 * of the request need and that are read once, and whether it failed; and the ids by which the protocol
 * library names our users and sessions.
 */
import Provider, { type Client, errors, type KoaContextWithOIDC, type Session } from 'oidc-provider'
import type { Proof, ProvenLink } from '../../authentication/proofs.ts'
import type { Db } from '../../database/database.ts'
import { failureOf } from '../../database/faults.ts'
import { currentTransaction } from '../../database/transaction.ts'
import type { Actor } from '../../http/authority.ts'
import { RefusalNote } from '../../http/refusals.ts'
import { isUuid } from '../../http/uuid.ts'
import type { ClientKey } from '../../resources/service-accounts/queries.ts'
import { findMember, type Member } from '../../resources/sessions/queries.ts'
import { findSignIn, type SignIn } from '../../resources/sign-ins/queries.ts'
import { systemIdOfClient } from '../clients/client.ts'
import type { Choice } from './account-choice.ts'

/*
 * The ids that the protocol library and we call by different names: its `accountId` is our user id, its grant
 * is our session. Our account id never reaches the library. Only this file translates, into types that can't
 * be exchanged.
 */
declare const kind: unique symbol
type Id<Kind extends string> = string & { readonly [kind]: Kind }

export type UserId = Id<'user'>
export type SessionId = Id<'session'>

/** The user of a library's session, token or grant; none for a browser session without a sign-in. */
export const userIdOf = (from: { accountId?: string | undefined } | undefined): UserId | undefined =>
  from?.accountId as UserId | undefined

/** The session of a library's code or token. */
export const sessionIdOf = (from: { grantId?: string | undefined } | undefined): SessionId | undefined =>
  from?.grantId as SessionId | undefined

/** The session that a browser session keeps for a client. */
export const sessionIdFor = (session: Session | undefined, client: Client | undefined) =>
  (client && session?.grantIdFor(client.clientId)) as SessionId | undefined

/** Our ids under the library's names. */
export const libraryIds = (of: { userId: string; sid?: string }) => ({
  accountId: of.userId,
  ...(of.sid !== undefined && { grantId: of.sid }),
})

export type RequestState = {
  /** When the request reached the library, in ms of the process. */
  startedAt: number
  /** The actor of the request before a user or client is authenticated. */
  sender: Actor
  /** The mark of the secret or key that the client authenticated with (service-tokens.ts); empty if none. */
  secretMark: string
  /** The key that a service account authenticated with. */
  serviceKey: ClientKey | undefined
  /** The id under which the use of the verified client assertion is to be stored (client-assertions.ts). */
  assertionId: string | undefined
  /** The account of the sign-in, as the current step decided it. */
  choice: Choice | undefined
  /** The id of the session that the request opens. */
  newSession: string | undefined
  /** The proofs of the browser session that are valid for the client (policy/proofs.ts). */
  proofs: readonly Proof[]
  /** The links to connections of organizations, in a browser that such a connection has signed in. */
  links: readonly ProvenLink[]
  /** In the membership of the sign-in only logins by connections of its account count. */
  isClosed: boolean
  /** The user has not entered the system of the client, and is a user of another one. */
  isEntryAsked: boolean
  /** The session reads no phone number or address of the user: it is without the user's own credentials. */
  withoutContact: boolean
  /** The members behind sessions, by session id. */
  members: Map<SessionId, Promise<Member | undefined>>
  /** The rows that decide a request to /auth, and the ids for which they were read. */
  signIn: { about: string; found: Promise<SignIn | undefined> } | undefined
  /**
   * The browser session of the request is stored: if it is gone when it is saved
   * again, it has been ended meanwhile.
   */
  hasStoredSession: boolean
  /** Why the library refuses the request. */
  refusal: errors.OIDCProviderError | undefined
  /** The status of the page that the answer redirects to, if it is the outcome of a form. */
  shownStatus: number | undefined
  /** The answer is an error page of ours. */
  isOwnPage: boolean
  /** The request has ended the browser session without a page to confirm. */
  isLoggedOut: boolean
  /** The logout is answered as in a browser without a session (logout.ts). */
  isHidden: boolean
  /** The user code of the link that opened the form of a device. */
  userCode: string | undefined
}

const ANONYMOUS: Actor = { type: 'anonymous', id: null, ip: null, userAgent: null, requestId: null }

const newState = (sender: Actor): RequestState => ({
  startedAt: performance.now(),
  sender,
  secretMark: '',
  serviceKey: undefined,
  assertionId: undefined,
  choice: undefined,
  newSession: undefined,
  proofs: [],
  links: [],
  isClosed: false,
  isEntryAsked: false,
  withoutContact: false,
  members: new Map(),
  signIn: undefined,
  hasStoredSession: false,
  refusal: undefined,
  shownStatus: undefined,
  isOwnPage: false,
  isLoggedOut: false,
  isHidden: false,
  userCode: undefined,
})

/** Koa's `ctx.state` is for the application's own data. */
type Stateful = { tenantry?: RequestState }

/**
 * Creates the state of a request that came through mount.ts, which has set the headers for the
 * client's address and the request's id.
 */
export function startRequest(ctx: KoaContextWithOIDC): void {
  ;(ctx.state as Stateful).tenantry = newState({
    ...ANONYMOUS,
    ip: ctx.ip,
    userAgent: ctx.get('user-agent').slice(0, 400) || null,
    requestId: ctx.get('x-request-id'),
    refusalNote: new RefusalNote(),
  })
}

/** The state of a request. One that our own pages start with the library has no known sender. */
export function requestState(ctx: KoaContextWithOIDC): RequestState {
  const state = ctx.state as Stateful
  state.tenantry ??= newState(ANONYMOUS)
  return state.tenantry
}

/** The request in progress, as the library has it. */
export const requestContext = () => (Provider as unknown as { ctx: KoaContextWithOIDC | undefined }).ctx

/** The actor of a protocol request: the signed-in user in the browser, the client elsewhere. */
export function actorOf(ctx: KoaContextWithOIDC): Actor {
  const { sender } = requestState(ctx)
  const userId = userIdOf(ctx.oidc.session)
  if (userId) return { ...sender, type: 'user', id: userId }
  const clientId = ctx.oidc.client?.clientId
  return clientId ? { ...sender, type: 'service', id: clientId } : sender
}

/** Stores the member behind a session that another statement has read; none when the session has ended. */
export function rememberMember(ctx: KoaContextWithOIDC, sid: SessionId, member: Member | undefined): void {
  requestState(ctx).members.set(sid, Promise.resolve(member))
}

/** The member behind a session. */
export function memberOf(ctx: KoaContextWithOIDC, db: Db, sid: SessionId): Promise<Member | undefined> {
  const { members } = requestState(ctx)
  const member = members.get(sid) ?? findMember(db, sid)
  members.set(sid, member)
  // A session that is not found is read again: this request may open it next.
  member.then(
    (found) => found ?? members.delete(sid),
    () => members.delete(sid),
  )
  return member
}

/** The account that the request names, or that the user selected in this sign-in. */
export function accountNamesOf(ctx: KoaContextWithOIDC) {
  const { params, result } = ctx.oidc
  const { select_account: selection, login } = (result ?? {}) as {
    select_account?: { accountId?: string }
    login?: { proof?: Proof }
  }
  const requested = params?.account_id === undefined ? undefined : String(params.account_id).toLowerCase()
  // The connection of an account leads to that account.
  return { requested, selected: selection?.accountId ?? login?.proof?.account }
}

/**
 * The user of the browser session, with the memberships that can be selected and the
 * session with the client.
 */
export function signInOf(ctx: KoaContextWithOIDC, db: Db, userId: UserId): Promise<SignIn | undefined> {
  const state = requestState(ctx)
  const { session, client } = ctx.oidc
  const systemId = systemIdOfClient(client)
  const sid = sessionIdFor(session, client)
  const { requested, selected } = accountNamesOf(ctx)
  const named = requested ?? selected
  const accountId = named !== undefined && isUuid(named) ? named : undefined
  const about = `${userId} ${systemId} ${sid} ${accountId}`
  if (state.signIn?.about === about) return state.signIn.found
  const found = findSignIn(db, { userId, systemId, sid, accountId })
  state.signIn = { about, found }
  found.then(
    (signIn) => signIn?.member && rememberMember(ctx, signIn.member.sid as SessionId, signIn.member),
    () => {
      state.signIn = undefined
    },
  )
  return found
}

/**
 * The member behind the session that the browser has with the client of the request. None when that session
 * has ended, or when an administrator has since ended another session of this browser and system.
 */
export async function currentMember(ctx: KoaContextWithOIDC, db: Db): Promise<Member | undefined> {
  const userId = userIdOf(ctx.oidc.session)
  const found = userId && (await signInOf(ctx, db, userId))
  return !found || found.endedByAdmin ? undefined : found.member
}

/**
 * Wraps a function of ours that the protocol library calls: a database fault becomes
 * temporarily_unavailable with status 503 (RFC 6749 section 4.1.2.1), never a verdict on a token or a
 * user, and rolls back the request's transaction.
 */
export function guardFaults<Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) {
  return async (...args: Args): Promise<Result> => {
    try {
      return await work(...args)
    } catch (error) {
      if (failureOf(error)?.code !== 'unavailable') throw error
      currentTransaction()?.fail(error)
      const unavailable = new errors.TemporarilyUnavailable(
        'the service is temporarily unavailable, try again',
      )
      throw Object.assign(unavailable, { status: 503, statusCode: 503, cause: error })
    }
  }
}
