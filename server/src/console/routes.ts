/**
 * The console: its pages, its sign-in, and what it asks about the signed-in user. The operations of the admin
 * API are registered once more below /console/api/admin, behind guard.ts (app.ts).
 */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Seal } from '../crypto/seal.ts'
import { EVERYTHING } from '../http/authority.ts'
import { RECENT_MAX } from '../http/recent-sign-in.ts'
import { CONSOLE_CALLBACK } from '../oidc/clients/client.ts'
import { userIdOf } from '../oidc/policy/request-state.ts'
import { readBrowser } from '../oidc/provider/browser-session.ts'
import { findEnabledUser } from '../resources/sign-ins/queries.ts'
import { findUser } from '../resources/users/queries.ts'
import { completeSignIn, type SignInTarget, startSignIn } from '../self-service/sign-in.ts'
import { type ConsoleParts, ownerOf } from './guard.ts'
import { CONTEXTS_MAX, type Context, findConsoleRights, listContexts } from './queries.ts'

type Parts = ConsoleParts & { seal: Seal }

const schema = { hide: true }
const PUBLIC = { authority: 'public' } as const
const OWN = { authority: 'browser-session' } as const

/** The path of a page of the console and its query; not what the server itself does below /console. */
const PAGE =
  /^\/console(?!\/(api|assets|sign-in|callback)(\/|\?|$))(\/(?!\.+(\/|\?|$))[\w:.~-]*)*(\?[!-~]*)?$/

/** A sign-in continues at the page that required it. */
const SIGN_IN: SignInTarget = {
  path: '/console',
  callback: CONSOLE_CALLBACK,
  pageOf: (address) => (PAGE.test(address) ? address : '/console/'),
}

const signIn = Type.Object({
  next: Type.Optional(Type.String({ maxLength: 2_000, pattern: '^/console([/?]|$)' })),
  recent: Type.Optional(Type.Literal('true')),
  factor: Type.Optional(Type.Literal('true')),
})

export const consoleRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, parts) => {
  const { db, config } = parts
  app.get(
    '/console/sign-in',
    { config: PUBLIC, schema: { ...schema, querystring: signIn } },
    async (request, reply) => {
      const { next = '/console/', recent, factor } = request.query
      const session = await readBrowser(parts, request, reply)
      const user = session && (await findEnabledUser(db, userIdOf(session) ?? '', null))
      startSignIn(parts, SIGN_IN, request, reply, {
        page: next,
        maxAge: recent ? RECENT_MAX : config.CONSOLE_SIGN_IN_MAX,
        secondFactor: factor === 'true' || config.CONSOLE_REQUIRE_MFA || user?.hasOwnFactor === true,
      })
      return reply
    },
  )
  app.get(CONSOLE_CALLBACK, { config: PUBLIC, schema }, async (request, reply) =>
    completeSignIn(parts, SIGN_IN, request, reply),
  )

  app.get('/console/api/me', { config: OWN, schema }, async (request, reply) => {
    const { id, hasOwnFactor: hasSecondFactor } = await ownerOf(parts, request, reply)
    const [{ email, name, locale }, rights, contexts] = await Promise.all([
      findUser(db, EVERYTHING, id),
      findConsoleRights(db, id, {}),
      listContexts(db, id, ''),
    ])
    const installation: Context[] = rights.platform
      ? [{ key: 'platform', name: rights.platformName, level: rights.platform }]
      : []
    return {
      user: { id, email, name, locale, hasSecondFactor },
      contexts: [...installation, ...contexts.slice(0, CONTEXTS_MAX)],
      more: contexts.length > CONTEXTS_MAX,
      // Without SMTP the emails are files: the pages offer links to hand over instead.
      installation: { baseUrl: config.BASE_URL, sendsEmail: config.MAIL_URL !== undefined },
    }
  })

  const Search = Type.Object({ search: Type.String({ maxLength: 200, pattern: '^[^\\u0000]*$' }) })
  app.get(
    '/console/api/contexts',
    { config: OWN, schema: { ...schema, querystring: Search } },
    async (request, reply) => {
      const { id } = await ownerOf(parts, request, reply)
      const found = await listContexts(db, id, request.query.search)
      return { data: found.slice(0, CONTEXTS_MAX), more: found.length > CONTEXTS_MAX }
    },
  )
}
