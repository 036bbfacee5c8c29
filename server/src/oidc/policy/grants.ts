/**
 * The account of a sign-in, and the grant for it: what the user allows a system in that account. The account
 * is decided from the request, the user's selection in this sign-in and the current memberships, never from
 * earlier sign-ins of the browser. prompts.ts asks the user when these decide nothing.
 */
import type { Grant, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { randomToken } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { readHandle } from '../../database/transaction.ts'
import type { SelectableMembership } from '../../resources/sessions/queries.ts'
import { ACCOUNT_CLIENT_ID, isAccountClient } from '../provider/clients.ts'
import {
  type Choice,
  currentMember,
  libraryIds,
  requestState,
  signInOf,
  type UserId,
  userIdOf,
} from '../request-state.ts'

/**
 * Decides the account. `requested` is the parameter account_id of /auth, `selected` the account
 * that the user selected. An account without an active membership of the user gives the same
 * refusal whether it exists or not.
 */
export function choose(
  memberships: SelectableMembership[],
  multiAccount: boolean,
  requested: string | undefined,
  selected: string | undefined,
): Choice {
  const active = memberships.filter((membership) => membership.status === 'active')
  if (requested !== undefined) {
    const membership = active.find((each) => each.accountId === requested)
    return membership ? { kind: 'selected', membership } : { kind: 'refused', reason: 'foreign' }
  }
  const membership = selected === undefined ? undefined : active.find((each) => each.accountId === selected)
  if (membership) return { kind: 'selected', membership }
  // The selected membership has ended since: the user selects again and is
  // never signed in to another account.
  const isLost = selected !== undefined && active.length > 0
  if (isLost || (active.length > 1 && multiAccount)) return { kind: 'several', memberships: active }
  if (active[0]) return { kind: 'selected', membership: active[0] }
  if (memberships.some((each) => each.status === 'pending')) return { kind: 'refused', reason: 'pending' }
  return { kind: 'refused', reason: memberships.length > 0 ? 'blocked' : 'none' }
}

/** The account that the user selected in this sign-in; here `accountId` is our own, in a result of ours. */
function selectedAccount(ctx: KoaContextWithOIDC): string | undefined {
  const result = ctx.oidc.result as { select_account?: { accountId?: string } } | undefined
  return result?.select_account?.accountId
}

/** The resource a token is for unless the request names one: the system itself, through its own audience. */
export const defaultResource = (issuer: string) => issuer

/**
 * The library's loadExistingGrant. Decides the account and returns the grant that the browser has for
 * it, or a new one with the scopes that the user consented to before. A new grant is stored only when
 * no prompt is left (openSession).
 */
export function loadGrantIn(db: Db) {
  return async (ctx: KoaContextWithOIDC): Promise<Grant | undefined> => {
    const { account, client, session } = ctx.oidc
    const userId = userIdOf(account)
    if (!userId || !client || !session) return undefined
    if (isAccountClient(client)) return accountGrant(ctx, userId)
    const handle = await readHandle(db)
    const { memberships = [], consents = {} } = (await signInOf(ctx, handle, userId)) ?? {}
    const requested = ctx.oidc.params?.account_id
    const choice = choose(
      memberships,
      client.multi_account === true,
      requested === undefined ? undefined : String(requested),
      selectedAccount(ctx),
    )
    requestState(ctx).choice = choice
    if (choice.kind !== 'selected') return undefined

    const provider = ctx.oidc.provider as Provider
    const current = await currentMember(ctx, handle)
    const isSame = current?.membershipId === choice.membership.membershipId && current.user.id === userId
    const existing = isSame ? await provider.Grant.find(current.sid) : undefined
    const grant = existing ?? new provider.Grant({ ...libraryIds({ userId }), clientId: client.clientId })
    const consented =
      client.skip_consent === true ? undefined : new Set(consents[choice.membership.accountId])
    const scopes = [...ctx.oidc.requestParamScopes].filter((scope) => consented?.has(scope) ?? true)
    if (scopes.length > 0) {
      grant.addOIDCScope(scopes)
      grant.addResourceScope(defaultResource(provider.issuer), scopes)
    }
    return grant
  }
}

/** Never stored: it only says that no consent is required. */
function accountGrant({ oidc }: KoaContextWithOIDC, userId: UserId): Grant {
  const provider = oidc.provider as Provider
  const grant = new provider.Grant({ ...libraryIds({ userId }), clientId: ACCOUNT_CLIENT_ID })
  const scopes = [...oidc.requestParamScopes]
  grant.addOIDCScope(scopes)
  grant.addResourceScope(defaultResource(provider.issuer), scopes)
  return grant
}

/** Stores the grant of a sign-in that has no prompt left. Its id is the `sid` of all its tokens. */
export async function openSession(ctx: KoaContextWithOIDC): Promise<void> {
  const { session, client } = ctx.oidc
  if (isAccountClient(client)) return
  const grant = ctx.oidc.entities.Grant
  if (!grant || !session || !client || requestState(ctx).choice?.kind !== 'selected')
    throw new Error('a session is opened only for a chosen account')
  if (!grant.jti) {
    grant.jti = randomToken()
    requestState(ctx).newSession = grant.jti
  }
  await grant.save()
  session.ensureClientContainer(client.clientId)
  session.grantIdFor(client.clientId, grant.jti)
  session.sidFor(client.clientId, grant.jti)
}
