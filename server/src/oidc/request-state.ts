import type { IncomingMessage } from 'node:http'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Actor } from '../http/authority.ts'

const SENDER = Symbol('sender')
type Sent = IncomingMessage & { [SENDER]?: Actor }

/** Tells the steps inside the protocol library who sent a request: mount.ts knows, through Fastify, the client's address. */
export const setSender = (request: IncomingMessage, actor: Actor): void => {
  ;(request as Sent)[SENDER] = actor
}

const NOBODY: Actor = { type: 'anonymous', id: null, ip: null, userAgent: null, requestId: null }

/** Who acts in a protocol request: the signed-in person in the browser, the client elsewhere. */
export function actorOf(ctx: KoaContextWithOIDC): Actor {
  const sender = (ctx.req as Sent)[SENDER] ?? NOBODY
  const userId = ctx.oidc.session?.accountId
  if (userId) return { ...sender, type: 'user', id: userId }
  const clientId = ctx.oidc.client?.clientId
  return clientId ? { ...sender, type: 'service', id: clientId } : sender
}
