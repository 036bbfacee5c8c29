/** The grant of a sign-in: what the person lets a system have, in the one account the sign-in is for. */
import type { Grant, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { randomToken } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { readHandle } from '../../database/transaction.ts'
import { choiceOf, choose, chosenAccount, rememberChoice } from './account-choice.ts'
import { heldMember, signInOf } from './members.ts'

/** The resource a token is for unless the request names one: the system itself, through its own audience. */
export const defaultResource = (issuer: string) => issuer

/**
 * The library's loadExistingGrant: decides the account, then gives the browser's living grant for it, or a fresh one
 * with what the person agreed to before. A fresh one is stored only when nothing is left to ask (openSession).
 */
export function loadGrantIn(db: Db) {
  return async (ctx: KoaContextWithOIDC): Promise<Grant | undefined> => {
    const { account, client, session } = ctx.oidc
    if (!account || !client || !session) return undefined
    const handle = await readHandle(db)
    const { places = [], consents = {} } = (await signInOf(ctx, handle, account.accountId)) ?? {}
    const requested = ctx.oidc.params?.account_id
    const choice = choose(
      places,
      client.multi_account === true,
      requested === undefined ? undefined : String(requested),
      chosenAccount(ctx),
    )
    rememberChoice(ctx, choice)
    if (choice.kind !== 'place') return undefined

    const provider = ctx.oidc.provider as Provider
    const held = await heldMember(ctx, handle)
    const same = held?.membershipId === choice.place.membershipId && held.user.id === account.accountId
    const living = same ? await provider.Grant.find(held.sid) : undefined
    const grant = living ?? new provider.Grant({ accountId: account.accountId, clientId: client.clientId })
    const agreed = client.skip_consent === true ? undefined : new Set(consents[choice.place.accountId])
    const scopes = [...ctx.oidc.requestParamScopes].filter((scope) => agreed?.has(scope) ?? true)
    if (scopes.length > 0) {
      grant.addOIDCScope(scopes)
      grant.addResourceScope(defaultResource(provider.issuer), scopes)
    }
    return grant
  }
}

/** Stores the grant of a sign-in that nothing is owed to any more. Its id becomes the `sid` of all its tokens. */
export async function openSession(ctx: KoaContextWithOIDC): Promise<void> {
  const { session, client } = ctx.oidc
  const grant = ctx.oidc.entities.Grant
  if (!grant || !session || !client || choiceOf(ctx)?.kind !== 'place')
    throw new Error('a session is opened only for a chosen account')
  grant.jti ??= randomToken()
  await grant.save()
  session.ensureClientContainer(client.clientId)
  session.grantIdFor(client.clientId, grant.jti)
  session.sidFor(client.clientId, grant.jti)
}
