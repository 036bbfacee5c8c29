/** The pages the protocol library asks us to draw: its refusals and the logout. */
import type { FastifyBaseLogger } from 'fastify'
import type { Ask, Render } from '../oidc/render.ts'
import { pagePolicy } from './pages/assets.ts'
import { errorPage } from './pages/error.ts'
import { logoutPage } from './pages/logout.ts'
import { messagePage } from './pages/message.ts'
import { localeOf } from './texts.ts'

const languageOf = (ask: Ask) => localeOf(ask.uiLocales, ask.acceptLanguage)
const lookOf = (name: string | undefined) => (name === undefined ? undefined : { name })

export const protocolPages = (log: FastifyBaseLogger): Render => ({
  log,
  error: ({ error, description, requestId }, ask) => ({
    html: errorPage({ locale: languageOf(ask), code: error, requestId, description, parameter: parameterOf(error, description) }),
    csp: pagePolicy({}),
  }),
  logout: ({ action, xsrf, systemName, formOrigins }, ask) => ({
    html: logoutPage({ locale: languageOf(ask), system: lookOf(systemName), action, xsrf }),
    csp: pagePolicy({ formOrigins }),
  }),
  loggedOut: ({ systemName }, ask) => ({
    html: messagePage({ locale: languageOf(ask), kind: 'signedOut', system: lookOf(systemName) }),
    csp: pagePolicy({}),
  }),
})

/** The library names the parameter in its sentence, in these ways. */
function parameterOf(error: string, description = ''): string | undefined {
  if (error === 'invalid_client') return 'client_id'
  if (error === 'invalid_redirect_uri') return 'redirect_uri'
  return /(?:parameter\(s\)|parameter|'|\b)\s*'?\b(client_id|redirect_uri|response_type|scope|state|nonce|code_challenge_method|code_challenge|prompt|max_age|resource|request_uri|request|registration|account_id|post_logout_redirect_uri|id_token_hint)\b/.exec(
    description,
  )?.[1]
}
