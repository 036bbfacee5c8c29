/**
 * Strangers: users who have not entered the system of a request. They may be signed in to other systems in
 * this browser; the system must not find out who they are, or that they are here, before they agree. It can
 * add users to accounts, send visitors through /auth and compare what comes back.
 */
import type { KoaContextWithOIDC, Provider, Session } from 'oidc-provider'
import { validProofs } from '../../authentication/proofs.ts'
import type { Db } from '../../database/database.ts'
import { readHandle } from '../../database/transaction.ts'
import { decideAccount, provenLinksOf } from './account-logins.ts'
import { isKnown } from './owed.ts'
import { scopeOfClient } from './proofs.ts'
import { requestState, signInOf, userIdOf } from './request-state.ts'

/** Whether the browser session is of a user who is a stranger to the client of the request. */
export async function isOfStranger(db: Db, ctx: KoaContextWithOIDC): Promise<boolean> {
  const { client, session } = ctx.oidc
  const userId = userIdOf(session)
  if (!userId || !client?.tenantry.systemId) return false
  const handle = await readHandle(db)
  const signIn = await signInOf(ctx, handle, userId)
  if (!signIn) return true // deleted or disabled
  requestState(ctx).links = await provenLinksOf(ctx, handle, userId)
  // A login by a connection makes the user known in the account that is answered, and in no other.
  const { proofs = validProofs(session?.proofs ?? [], signIn.user, scopeOfClient(client)) } = decideAccount(
    ctx,
    signIn,
    [],
  )
  return !isKnown({ user: signIn.user, proofs })
}

/** Whether a request to /auth must be answered without a page. */
const isSilent = ({ oidc }: KoaContextWithOIDC): boolean =>
  oidc?.route === 'authorization' && oidc.prompts.has('none')

/**
 * Goes on as in a browser without a session, for a silent request and a stranger: every later check, the
 * answer, its cookies and the audit log are those of such a browser. Called before the library reads the user
 * of the session.
 */
export async function hideStranger(db: Db, ctx: KoaContextWithOIDC): Promise<void> {
  if (!isSilent(ctx) || !(await isOfStranger(db, ctx))) return
  const { Session } = ctx.oidc.provider as Provider
  Object.assign(ctx.oidc, { session: new Session() as Session }) // it has not been stored, and is not
}

/** A refused silent request sets no cookie: one that only a signed-in browser gets would tell it apart. */
export function dropSilentCookies(ctx: KoaContextWithOIDC, isRefused: boolean): void {
  if (isRefused && isSilent(ctx)) ctx.remove('set-cookie')
}
