/** RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0): when it is confirmed, and what it ends. */
import type { CookiesSetOptions, KoaContextWithOIDC } from 'oidc-provider'
import type { Db } from '../../database/database.ts'
import type { TransactionContext } from '../../database/transaction.ts'
import { endSessions } from '../../lifecycle/end-sessions.ts'
import { actorOf, requestState, sessionIdFor, userIdOf } from '../policy/request-state.ts'
import { isOfStranger } from '../policy/strangers.ts'
import { type Render, renderLogout } from './render.ts'

/**
 * Called for a browser that is signed in. An application that is signed in in this browser, and shows the ID
 * token of that sign-in, logs out without a page to confirm (section 2). An application that would get the
 * browser back at once if no user were signed in also gets back that of a stranger, whose sessions stay.
 */
export async function logOutOrAsk(
  { db, render, cookie }: { db: Db; render: Render; cookie: CookiesSetOptions },
  ctx: KoaContextWithOIDC,
  form: string,
): Promise<void> {
  const { session } = ctx.oidc
  if (!session || !isOfSession(ctx)) {
    const returns = ctx.oidc.params?.post_logout_redirect_uri !== undefined
    requestState(ctx).isHidden = returns && (await isOfStranger(db, ctx))
    return requestState(ctx).isHidden ? undefined : renderLogout(render, ctx, form)
  }
  await session.destroy()
  requestState(ctx).isLoggedOut = true
  // It has the attributes that it was set with: a browser ignores a __Host- cookie without them.
  ctx.cookies.set(ctx.oidc.provider.cookieName('session'), null, cookie)
}

type Hint = { header?: { typ?: string }; payload?: { sub?: unknown; sid?: unknown } }

/**
 * Whether the hint is the ID token of the session that the browser has with the client. The library has
 * verified signature, issuer and audience, but accepts an expired token and other types of token.
 */
function isOfSession({ oidc: { session, client, entities } }: KoaContextWithOIDC): boolean {
  const { header, payload } = (entities.IdTokenHint ?? {}) as Hint
  const isIdToken = header?.typ === undefined || header.typ.toLowerCase() === 'jwt'
  const sid = sessionIdFor(session, client)
  return isIdToken && sid !== undefined && payload?.sid === sid && payload.sub === userIdOf(session)
}

/** Ends the sessions of a browser that has logged out, and redirects it. */
export async function completeLogout(ctx: KoaContextWithOIDC, context: TransactionContext): Promise<void> {
  const { session, route, params } = ctx.oidc
  if (ctx.status >= 400) return
  const isConfirmed = route === 'end_session_confirm' && params?.logout !== undefined
  const { isLoggedOut, isHidden } = requestState(ctx)
  if ((isConfirmed || isLoggedOut) && session?.uid)
    await endSessions(await context.write(), actorOf(ctx), { browserUid: session.uid }, 'logout')
  // Without a user there is nothing to confirm; the library would send a form that needs JavaScript.
  const isWithout = isHidden || userIdOf(session) === undefined
  if (isLoggedOut || (route === 'end_session' && isWithout)) redirect(ctx)
}

function redirect(ctx: KoaContextWithOIDC): void {
  const { post_logout_redirect_uri: target, state } = ctx.oidc.params ?? {}
  const { client } = ctx.oidc
  const url = new URL(typeof target === 'string' ? target : ctx.oidc.urlFor('end_session_success'))
  if (typeof target === 'string') {
    if (typeof state === 'string') url.searchParams.set('state', state)
    // as the library does after its form: the page leads back to the application
  } else if (client) url.searchParams.set('client_id', client.clientId)
  ctx.status = 303
  ctx.redirect(url.href)
  ctx.body = ''
  ctx.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'") // not of the library's form
}
