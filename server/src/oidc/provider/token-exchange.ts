/**
 * The grant of RFC 8693 for acting for a member: a user of the vendor's support exchanges the own access
 * token (`actor_token`) and a membership (`subject_token`) for an access token of the member, with the claim
 * `act`. Off by default for each system. No other exchange is supported.
 */
import type Provider from 'oidc-provider'
import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { oneLine } from '../../authentication/registration-input.ts'
import type { Db } from '../../database/database.ts'
import { writeHandle } from '../../database/transaction.ts'
import { isRecent } from '../../http/recent-sign-in.ts'
import { isUuid } from '../../http/uuid.ts'
import { ACTING_MAX, openActingSession } from '../../resources/sessions/act.ts'
import type { Member } from '../../resources/sessions/queries.ts'
import { TOKEN_EXCHANGE } from '../clients/metadata.ts'
import { defaultResource } from '../grants.ts'
import { findAccountIn } from '../policy/claims.ts'
import { guardFaults, libraryIds, memberOf, requestState, type SessionId } from '../policy/request-state.ts'
import type { Storage } from '../policy/storage.ts'

const MEMBERSHIP = 'urn:tenantry:params:oauth:token-type:membership'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

/** RFC 8693 section 2.1; `reason` is our own. The audience is always the client. */
const PARAMETERS = [
  'subject_token',
  'subject_token_type',
  'actor_token',
  'actor_token_type',
  'requested_token_type',
  'scope',
  'reason',
] as const
type Parameters = { [Name in (typeof PARAMETERS)[number]]?: string }

/** One hour, in seconds. */
const LIFETIME_MAX = 3_600
/** In characters. */
const REASON_MAX = 500

/** What a member's data the application may read; no refresh token and no phone number or address. */
const SCOPES = ['openid', 'email', 'profile']

export function addTokenExchange(provider: Provider, storage: Storage): void {
  provider.registerGrantType<Parameters>(
    TOKEN_EXCHANGE,
    guardFaults(async (ctx) => exchange(storage, ctx as unknown as ExchangeContext)),
    [...PARAMETERS],
  )
}

type ExchangeContext = KoaContextWithOIDC & {
  oidc: { readonly client: Client; readonly params: Parameters }
}

/**
 * RFC 8693. The threat: one stolen token of a supporter opens the accounts of every customer. So
 *
 * 1. the system has to allow it (`allowActing`, set by the platform), and its client authenticates;
 * 2. `actor_token` is the supporter's own access token for this client, of a recent sign-in
 *    (http/recent-sign-in.ts), of a session that no connection has opened, and not itself a token for acting:
 *    there is no chain of `act` (section 4.1);
 * 3. in one transaction, the role of the supporter and the membership are row-locked and checked, and the
 *    session gets its audit entry with the reason (`openActingSession`);
 * 4. the token is of the member with the claim `act`, without a refresh token, for an hour at most.
 */
async function exchange(storage: Storage, ctx: ExchangeContext): Promise<void> {
  const { client } = ctx.oidc
  if (!client.tenantry.allowActing)
    throw new errors.UnauthorizedClient('this client is not allowed to use token exchange')
  const { membershipId, reason, scope } = readParameters(ctx)
  if (ctx.headers.dpop !== undefined || client.dpopBoundAccessTokens)
    throw new errors.InvalidRequest('a token of a member cannot be bound to a key')
  const tx = await writeHandle(storage.db)
  const acting = await actingUser(storage, ctx, tx)
  const lifetime = Math.min(LIFETIME_MAX, storage.config.TTL_ACCESS_TOKEN)
  const actor = { ...requestState(ctx).sender, type: 'user' as const, id: acting.user.id }
  const opened = await openActingSession(tx, actor, { acting, membershipId, reason, scope, lifetime })
  if (opened === 'actor') throw mayNotAct()
  if (opened === 'limit')
    throw new errors.InvalidRequest(`a user acts in at most ${ACTING_MAX} sessions at a time`)
  if (opened === 'factor')
    throw new errors.InvalidGrant('the account of the member requires a second factor (acr_values)')
  if (opened === 'subject') throw new errors.InvalidGrant('the member cannot be acted for')
  await issue(storage, ctx, { ...opened, scope, lifetime })
}

function readParameters({ oidc: { params, client } }: ExchangeContext) {
  for (const name of [
    'subject_token',
    'subject_token_type',
    'actor_token',
    'actor_token_type',
    'reason',
  ] as const)
    if (!params[name]) throw new errors.InvalidRequest(`${name} is required`)
  const { subject_token: membershipId = '', actor_token_type, requested_token_type } = params
  if (params.subject_token_type !== MEMBERSHIP)
    throw new errors.InvalidRequest(`subject_token_type must be ${MEMBERSHIP}`)
  if (actor_token_type !== ACCESS_TOKEN)
    throw new errors.InvalidRequest(`actor_token_type must be ${ACCESS_TOKEN}`)
  if (requested_token_type !== undefined && requested_token_type !== ACCESS_TOKEN)
    throw new errors.InvalidRequest(`requested_token_type must be ${ACCESS_TOKEN}`)
  if (!isUuid(membershipId)) throw new errors.InvalidRequest('subject_token must be the id of a membership')
  const reason = oneLine(params.reason ?? '')
  if (reason === '' || reason.length > REASON_MAX)
    throw new errors.InvalidRequest(`reason must be a text of 1 to ${REASON_MAX} characters`)
  const allowed = SCOPES.filter((each) => client.scope?.split(' ').includes(each))
  const asked = params.scope?.split(' ').filter(Boolean) ?? allowed
  const beyond = asked.find((each) => !allowed.includes(each))
  if (beyond !== undefined) throw new errors.InvalidScope('this scope is not available', beyond)
  return { membershipId, reason, scope: asked.join(' ') }
}

/** The member of the system whose own access token was sent, after a recent sign-in. */
async function actingUser({ tokens }: Storage, ctx: ExchangeContext, tx: Db): Promise<Member> {
  const { client, params } = ctx.oidc
  const token = await tokens.verify(params.actor_token ?? '')
  if (token?.kind !== 'user' || token.claims.cnf || token.claims.client_id !== client.clientId)
    throw new errors.InvalidGrant('actor_token is not an access token of a user of this client')
  const { claims } = token
  const member = await memberOf(ctx, tx, claims.sid as SessionId)
  if (member?.status !== 'active' || member.user.disabled || member.user.id !== claims.sub)
    throw new errors.InvalidGrant('actor_token is not valid')
  // The threat: who controls an identity provider of an organization signs in as a member who may act.
  if (member.actorId !== null || member.connectionId !== null) throw mayNotAct()
  if (!isRecent(claims.auth_time))
    throw new errors.InvalidGrant('the acting user has to sign in again (max_age)')
  return member
}

const mayNotAct = () => new errors.InvalidGrant('the acting user has no role with canActForMembers')

type Opened = { sid: string; userId: string; scope: string; lifetime: number }

/** Issues the access token as the library does for other grants. */
async function issue(storage: Storage, ctx: ExchangeContext, opened: Opened): Promise<void> {
  const { client } = ctx.oidc
  const provider = ctx.oidc.provider as Provider
  const ids = libraryIds({ userId: opened.userId, sid: opened.sid })
  const account = await findAccountIn(storage.db)(ctx, opened.userId, ids)
  if (!account) throw new errors.InvalidGrant('the member cannot be acted for')
  ctx.oidc.entity('Account', account)
  const token = new provider.AccessToken({ client, gty: 'token_exchange', ...ids } as never)
  const resource = defaultResource(storage.config.BASE_URL)
  token.resourceServer = new provider.ResourceServer(resource, {
    scope: opened.scope,
    audience: client.clientId,
    accessTokenFormat: 'jwt',
    accessTokenTTL: opened.lifetime,
    jwt: { sign: { alg: client.tenantry.accessTokenAlg } },
  })
  token.scope = opened.scope
  ctx.oidc.entity('AccessToken', token)
  ctx.body = {
    access_token: await token.save(),
    issued_token_type: ACCESS_TOKEN,
    token_type: 'Bearer',
    expires_in: opened.lifetime,
    scope: opened.scope,
  }
}
