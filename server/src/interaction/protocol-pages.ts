/** The pages of the protocol library: errors, logout, and the device flow. */
import type { Config } from '../config/config.ts'
import { isPublic } from '../config/warnings.ts'
import type { Seal } from '../crypto/seal.ts'
import { printable } from '../http/sent-values.ts'
import type { ShownRedirect } from '../oidc/provider/refused-redirect.ts'
import type { Ask, DeviceFault, ProtocolProblem, Render } from '../oidc/provider/render.ts'
import type { Application } from '../resources/systems/application.ts'
import type { KeyOf } from '../texts/message.ts'
import { localeOf, type Texts, textsOf } from '../texts/texts.ts'
import { pagePolicy } from '../ui/layout.ts'
import { lookOf } from '../ui/look.ts'
import { deviceCodePage, deviceConfirmPage } from '../ui/pages/device.ts'
import { type ErrorPage, errorPage } from '../ui/pages/error.ts'
import { logoutPage } from '../ui/pages/logout.ts'
import { messagePage } from '../ui/pages/message.ts'
import { errorAddress } from '../ui/pages/page-failures.ts'

const languageOf = (ask: Ask) => localeOf(ask.uiLocales, ask.acceptLanguage)
const logoOf = (system: Application | undefined) => ({ logoUrl: system?.branding?.logoUrl })

type Parts = Pick<Render, 'log' | 'refusals' | 'refusedClients' | 'contextOf'> & {
  seal: Seal
  config: Config
}

/** The texts and details of an error page. */
const shownOf = ({ error, description, requestId, purpose }: Omit<ProtocolProblem, 'status' | 'system'>) => ({
  code: error,
  requestId,
  purpose,
  description,
  parameter: parameterOf(error, description),
})

export const protocolPages = ({ seal, config, ...others }: Parts): Render => {
  /** The pages name no application if it is absent. */
  const lookAt = (system: Application | undefined) => system && lookOf(config, system)
  return {
    ...others,
    errorAt: ({ status, retryAfter, system, redirect: _redirect, ...problem }, { uiLocales }) =>
      errorAddress(seal, {
        ...shownOf(problem),
        status,
        retryAfter,
        clientId: system?.clientId,
        ...(uiLocales && { uiLocales }),
      }),
    error: (problem, ask) => ({
      html: errorPage({
        ...shownOf(problem),
        locale: languageOf(ask),
        system: lookAt(problem.system),
        redirect: problem.redirect && redirectOn(config, problem.redirect),
      }),
      csp: pagePolicy({ ...logoOf(problem.system), forms: 'own' }),
    }),
    logout: ({ action, xsrf, system }, ask) => ({
      html: logoutPage({ locale: languageOf(ask), system: lookAt(system), action, xsrf }),
      csp: pagePolicy({ ...logoOf(system), forms: 'away' }),
    }),
    loggedOut: ({ system, stayed }, ask) => ({
      html: messagePage({
        locale: languageOf(ask),
        kind: stayed ? 'stayed' : 'signedOut',
        system: lookAt(system),
      }),
      csp: pagePolicy({ ...logoOf(system), forms: 'own' }),
    }),
    deviceCode: ({ action, xsrf, code, fault }, ask) => {
      const locale = languageOf(ask)
      const sentence = fault && textsOf(locale)[DEVICE_FAULTS[fault]]
      const errors = fault === 'form' || fault === 'cookies' ? { form: sentence } : { code: sentence }
      return {
        html: deviceCodePage({ locale, action, xsrf, values: { code }, errors }),
        csp: pagePolicy({ forms: 'own' }),
      }
    },
    deviceConfirm: ({ action, xsrf, code, system, device }, ask) => ({
      html: deviceConfirmPage({
        locale: languageOf(ask),
        system: lookOf(config, system),
        action,
        xsrf,
        code,
        device,
      }),
      csp: pagePolicy({ ...logoOf(system), forms: 'own' }),
    }),
    deviceEnd: ({ system, done }, ask) => ({
      html: messagePage({
        locale: languageOf(ask),
        kind: done ? 'deviceDone' : 'deviceStopped',
        system: lookAt(system),
      }),
      csp: pagePolicy({ ...logoOf(system), forms: 'own' }),
    }),
  }
}

const DEVICE_FAULTS = {
  missing: 'deviceCodeMissing',
  wrong: 'deviceCodeWrong',
  expired: 'deviceCodeExpired',
  used: 'deviceCodeUsed',
  slow: 'deviceCodeSlow',
  form: 'formExpired',
  cookies: 'deviceCookies',
} as const satisfies Record<DeviceFault, KeyOf<Texts>>

/**
 * The page of the console that adds the address. It is shown to those who may read the system, and to
 * everyone while the issuer is a loopback address: only the developer opens the page then.
 */
function redirectOn(
  config: Config,
  { field, sent, registered, systemId, context }: ShownRedirect,
): NonNullable<ErrorPage['redirect']> {
  const place = context ?? (config.CONSOLE && !isPublic(config) ? 'platform' : undefined)
  const search = new URLSearchParams({ tab: 'signIn', [field]: sent })
  const page = place === 'platform' ? `platform/systems/${systemId}` : `${place}/settings`
  return {
    sent: printable(sent),
    registered: registered?.map(printable),
    console: place && `/console/${page}?${search}`,
  }
}

/** The parameter that an error of the library is about, from the text of its description. */
function parameterOf(error: string, description = ''): string | undefined {
  // In a logout, the client is the audience of the ID token.
  if (error === 'invalid_client') return description.includes('id_token_hint') ? 'id_token_hint' : 'client_id'
  if (error === 'invalid_redirect_uri') return 'redirect_uri'
  return /(?:parameter\(s\)|parameter|'|\b)\s*'?\b(client_id|redirect_uri|response_type|scope|state|nonce|code_challenge_method|code_challenge|prompt|max_age|resource|request_uri|request|registration|account_id|post_logout_redirect_uri|id_token_hint)\b/.exec(
    description,
  )?.[1]
}
