/** `/outbox`: the emails of a development server as they look, newest first. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ConsoleParts } from '../console/guard.ts'
import type { Seal } from '../crypto/seal.ts'
import { Failure } from '../errors.ts'
import { cookieAttributes } from '../http/forms-and-cookies.ts'
import { answerPageFailures } from '../ui/pages/page-failures.ts'
import { COOKIE, isKey, isSentHere, mayReadOutbox } from './access.ts'
import { listEmails, newestName, readEmail } from './mailbox.ts'
import { emailDocument, lockedPage, OUTBOX_STYLE, outboxPage, SCRIPT } from './pages.ts'

/** `key`: random, of this start of the server. */
export type OutboxParts = ConsoleParts & { seal: Seal; key: string }

const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** An email runs no script and loads nothing but images; its links open in windows of their own. */
const EMAIL_POLICY = [
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data: https:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ')

const HIDDEN = { config: { authority: 'public' }, schema: { hide: true } } as const
const NAMED = {
  ...HIDDEN,
  schema: { hide: true, params: Type.Object({ name: Type.String({ maxLength: 100 }) }) },
} as const
type Named = FastifyRequest<{ Params: { name: string } }>

export const outboxRoutes: FastifyPluginAsyncTypebox<OutboxParts> = async (app, { key, ...parts }) => {
  const { config } = parts
  answerPageFailures(app, parts)
  app.addHook('onRequest', async (request) => {
    if (!isSentHere(request, config)) throw new Failure('not_found')
  })
  const sendPage = (reply: FastifyReply, page: string) =>
    reply.header('content-security-policy', PAGE_POLICY).type('text/html; charset=utf-8').send(page)
  const demandReader = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!(await mayReadOutbox(parts, key, request, reply))) throw new Failure('not_found')
  }
  const emailOf = async (request: Named, reply: FastifyReply) => {
    await demandReader(request, reply)
    const email = await readEmail(config, request.params.name)
    if (!email) throw new Failure('not_found')
    return email
  }

  app.get<{ Querystring: { key?: unknown } }>('/outbox', HIDDEN, async (request, reply) => {
    if (isKey(request.query.key, key))
      return reply
        .setCookie(COOKIE, key, { ...cookieAttributes(config, '/outbox'), sameSite: 'strict' })
        .redirect('/outbox', 303)
    if (!(await mayReadOutbox(parts, key, request, reply))) return sendPage(reply.code(403), lockedPage())
    const emails = await listEmails(config)
    return sendPage(reply, outboxPage(emails, emails[0]))
  })

  app.get('/outbox/:name', NAMED, async (request: Named, reply) => {
    const email = await emailOf(request, reply)
    return sendPage(reply, outboxPage(await listEmails(config), email))
  })

  app.get('/outbox/:name/content', NAMED, async (request: Named, reply) =>
    reply
      .header('content-security-policy', EMAIL_POLICY)
      .header('x-frame-options', 'SAMEORIGIN')
      .type('text/html; charset=utf-8')
      .send(emailDocument(await emailOf(request, reply))),
  )

  app.get('/outbox/newest', HIDDEN, async (request, reply) => {
    await demandReader(request, reply)
    return { newest: await newestName(config) }
  })

  app.get('/outbox/outbox.css', HIDDEN, (_request, reply) => reply.type('text/css').send(OUTBOX_STYLE))
  app.get('/outbox/outbox.js', HIDDEN, (_request, reply) => reply.type('text/javascript').send(SCRIPT))
}
