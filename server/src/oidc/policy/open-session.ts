import type { KoaContextWithOIDC } from 'oidc-provider'
import { randomToken } from '../../crypto/seal.ts'
import { isAccountClient } from '../clients/client.ts'
import { requestState } from './request-state.ts'
import { isTest } from './requested.ts'

/** Stores the grant of a sign-in that has no prompt left. Its id is the `sid` of all its tokens. */
export async function openSession(ctx: KoaContextWithOIDC): Promise<void> {
  const { session, client } = ctx.oidc
  if (isAccountClient(client)) return
  if (isTest(ctx)) throw new Error('a test of a sign-in opens no session')
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
