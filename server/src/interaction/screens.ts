/** The step that is owed, as a page or as JSON: `{step, system, fields, errors}`. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Db } from '../db.ts'
import { findEnabledUser } from '../oidc/queries.ts'
import type { Branding } from '../schema.ts'
import type { Seal } from '../seal.ts'
import { csrfToken, wantsJson } from './forms.ts'
import { newPasswordField, type PasswordLengths, passwordLengths } from './new-password.ts'
import { type AccountChoice, accountPage } from './pages/account.ts'
import { pagePolicy } from './pages/assets.ts'
import { consentPage } from './pages/consent.ts'
import { bdi, fill, fillPlain } from './pages/html.ts'
import type { SystemLook } from './pages/layout.ts'
import { loginPage } from './pages/login.ts'
import { messagePage } from './pages/message.ts'
import { newPasswordPage } from './pages/new-password.ts'
import { findLook } from './queries.ts'
import { LANGUAGE_TAGS, type Locale, localeOf, type Texts, textsOf } from './texts.ts'

/** What we use of the library's interaction. */
export type Details = {
  uid: string
  prompt: { name: string; reasons: string[]; details: Record<string, unknown> }
  params: Record<string, unknown> & {
    client_id: string
    redirect_uri?: string
    login_hint?: string
    ui_locales?: string
    scope?: string
  }
  session?: { accountId?: string; uid?: string }
}

/** What a step adds when it is shown again. */
export type Screen = {
  status?: number
  values?: { email?: string }
  errors?: { form?: keyof Texts; email?: keyof Texts; password?: keyof Texts; passwordAgain?: keyof Texts }
  /** Seconds; `{wait}` in a sentence. */
  retryAfter?: number | undefined
}

type Parts = { db: Db; seal: Seal; config: Config }

export async function sendScreen(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  details: Details,
  screen: Screen,
): Promise<FastifyReply> {
  const locale = localeOf(details.params.ui_locales, request.headers['accept-language'])
  const look = lookOf(await findLook(parts.db, details.params.client_id))
  const userId = details.session?.accountId
  const email = userId === undefined ? '' : ((await findEnabledUser(parts.db, userId))?.email ?? '')
  const lengths = passwordLengths(parts.config)
  reply.code(screen.status ?? 200)
  if (screen.retryAfter !== undefined) reply.header('retry-after', String(screen.retryAfter))
  if (wantsJson(request)) return reply.send(asJson(details, { look, screen, locale, lengths }))
  const csp = pagePolicy({ logoUrl: look.logoUrl, formOrigins: redirectOrigins(details.params.redirect_uri) })
  const page = asPage(details, { look, screen, locale, email, csrf: csrfToken(parts.seal, details.uid), lengths })
  return reply.header('content-security-policy', csp).type('text/html').send(page)
}

const lookOf = (system: { name: string; branding: Branding } | undefined): SystemLook => ({
  name: system?.name ?? '',
  ...system?.branding,
})

type Drawing = { look: SystemLook; screen: Screen; locale: Locale; lengths: PasswordLengths; email: string; csrf: string }

function asPage(details: Details, { look: system, screen, locale, lengths, email, csrf }: Drawing): string {
  const action = (step: string) => `/interaction/${details.uid}/${step}`
  const given = details.prompt.details
  const errors = sentences(screen, locale)
  switch (details.prompt.name) {
    case 'change_password':
      return newPasswordPage({
        locale,
        system,
        lead: fill(textsOf(locale).changePasswordLead, { system: bdi(system.name) }),
        action: action('change-password'),
        hidden: { csrf },
        email,
        lengths,
        errors,
      })
    case 'select_account':
      return accountPage({
        locale,
        system,
        action: action('account'),
        csrf,
        email,
        accounts: (given.accounts ?? []) as AccountChoice[],
        error: errors.form,
      })
    case 'consent': {
      const { account, scopes } = given as { account?: { name: string }; scopes?: string[] }
      return consentPage({
        locale,
        system,
        action: action('consent'),
        csrf,
        email,
        account,
        scopes: scopes ?? [],
        returnsTo: hostOf(details.params.redirect_uri),
      })
    }
    case 'access':
      return messagePage({
        locale,
        kind: given.reason === 'pending' ? 'pending' : 'blocked',
        system,
        email,
        next: { action: action('abort'), csrf },
      })
    default:
      return loginPage({
        locale,
        system,
        action: action('login'),
        csrf,
        values: { email: screen.values?.email ?? details.params.login_hint },
        errors,
      })
  }
}

function sentences(screen: Screen, locale: Locale): Record<'form' | 'email' | 'password' | 'passwordAgain', string | undefined> {
  const say = (key: keyof Texts | undefined) =>
    key && fillPlain(textsOf(locale)[key], { wait: waitOf(screen.retryAfter ?? 0, locale) })
  const { form, email, password, passwordAgain } = screen.errors ?? {}
  return { form: say(form), email: say(email), password: say(password), passwordAgain: say(passwordAgain) }
}

/** As people say it: `4 seconds`, `15 minutes`. */
function waitOf(seconds: number, locale: Locale): string {
  const [value, unit] = seconds < 90 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return new Intl.NumberFormat(LANGUAGE_TAGS[locale], { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}

/** Fields a product draws for itself; the address to send them to is `/interaction/:uid/<path>`. */
function asJson(details: Details, { look: system, screen, locale, lengths }: Omit<Drawing, 'email' | 'csrf'>) {
  const { name } = details.prompt
  const given = details.prompt.details
  const steps: Record<string, { path: string; fields: object[] }> = {
    login: {
      path: 'login',
      fields: [
        { name: 'email', type: 'email', required: true, value: screen.values?.email ?? details.params.login_hint ?? '' },
        { name: 'password', type: 'password', required: true },
      ],
    },
    change_password: { path: 'change-password', fields: [newPasswordField(lengths)] },
    select_account: {
      path: 'account',
      fields: [{ name: 'accountId', type: 'choice', required: true, options: given.accounts ?? [] }],
    },
    consent: { path: 'consent', fields: [{ name: 'decision', type: 'choice', required: false, options: [{ id: 'deny' }] }] },
    access: { path: 'abort', fields: [] },
  }
  const step = steps[name] ?? steps.login!
  const errors = Object.entries(sentences(screen, locale)).flatMap(([path, message]) =>
    message === undefined ? [] : [{ path, message }],
  )
  return {
    step: name,
    action: `/interaction/${details.uid}/${step.path}`,
    system,
    fields: step.fields,
    ...(name === 'consent' && { account: given.account, scopes: given.scopes }),
    ...(name === 'access' && { reason: given.reason }),
    errors,
  }
}

/** Browsers hold a page's form-action against every redirect that follows, up to the application's address. */
function redirectOrigins(redirectUri: string | undefined): string[] {
  const url = redirectUri === undefined ? null : URL.parse(redirectUri)
  if (!url) return []
  return [url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : url.protocol]
}

const hostOf = (redirectUri: string | undefined) =>
  redirectUri === undefined ? undefined : URL.parse(redirectUri)?.host || undefined
