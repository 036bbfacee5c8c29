/** The step that is owed, as a page or as JSON: `{step, system, fields, errors}`. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { newPasswordField, type PasswordLengths, passwordLengths } from '../authentication/new-password.ts'
import type { Config } from '../config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import type { Branding } from '../database/schema.ts'
import { csrfToken, wantsJson } from '../http/forms.ts'
import { findEnabledUser } from '../oidc/storage/queries.ts'
import { pagePolicy } from '../ui/assets.ts'
import { bdi, fill, fillPlain } from '../ui/html.ts'
import { LANGUAGE_TAGS, type Locale, localeOf, type Texts, textsOf } from '../ui/i18n/texts.ts'
import type { SystemLook } from '../ui/layout.ts'
import { type AccountChoice, accountPage } from '../ui/pages/account.ts'
import { consentPage } from '../ui/pages/consent.ts'
import { recoveryCodesPage } from '../ui/pages/enrol.ts'
import { loginPage } from '../ui/pages/login.ts'
import { messagePage } from '../ui/pages/message.ts'
import { newPasswordPage } from '../ui/pages/new-password.ts'
import { type FactorStep, factorFields, factorPage, passkeyOf, readFactorStep } from './factor-screens.ts'
import {
  isNewcomerStep,
  type Newcomer,
  type NewcomerStep,
  newcomerFields,
  newcomerPage,
} from './newcomer-screens.ts'
import { findLook } from './queries.ts'

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

/** A field that is at fault; `form`: none alone. */
type Faulty =
  | 'form'
  | 'email'
  | 'password'
  | 'passwordAgain'
  | 'code'
  | 'recoveryCode'
  | 'name'
  | 'accountName'

/** What a step adds when it is shown again. */
export type Screen = {
  status?: number
  /** In the place of the login. */
  step?: NewcomerStep
  values?: { email?: string; name?: string; accountName?: string }
  /** Held by the browser that has registered. */
  registration?: string
  /** Something was done. */
  notice?: keyof Texts
  errors?: { [Name in Faulty]?: keyof Texts }
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
  const system = await findLook(parts.db, details.params.client_id)
  const look = lookOf(system)
  const userId = details.session?.accountId
  const user = userId === undefined ? undefined : await findEnabledUser(parts.db, userId)
  const email = user?.email ?? ''
  const { uid, prompt } = details
  const step = screen.step ?? prompt.name
  const factor =
    user &&
    (await readFactorStep(parts, {
      uid,
      step: prompt.name,
      user,
      system: look,
      userAgent: request.actor.userAgent,
    }))
  const passkey = step === 'login' ? passkeyOf(parts, uid) : undefined
  const lengths = passwordLengths(parts.config)
  const { values = {}, registration } = screen
  const multiAccount = system?.multiAccount === true
  const about = { email: values.email ?? email, values, registration }
  const newcomer = isNewcomerStep(step) ? { step, uid, multiAccount, lengths, ...about } : undefined
  const links = linksOf(uid, system?.open === true)
  const providers = providersOf(parts.config, uid)
  reply.code(screen.status ?? 200)
  if (screen.retryAfter !== undefined) reply.header('retry-after', String(screen.retryAfter))
  if (wantsJson(request))
    return reply.send(
      asJson(details, { look, screen, locale, lengths, links, providers, factor, newcomer, passkey }),
    )
  const csrf = csrfToken(parts.seal, uid)
  const drawn = { locale, system: look, csrf, ...spoken(screen, locale) }
  const page = factor
    ? await factorPage(factor, { uid, ...drawn })
    : newcomer
      ? newcomerPage(newcomer, drawn)
      : asPage(details, {
          look,
          screen,
          locale,
          email,
          csrf,
          lengths,
          links,
          providers,
          factor,
          newcomer,
          passkey,
        })
  const csp = pagePolicy({
    logoUrl: look.logoUrl,
    formOrigins: redirectOrigins(details.params.redirect_uri),
    page,
  })
  return reply.header('content-security-policy', csp).type('text/html').send(page)
}

type Given = { location: string; recoveryCodes: string[] }

/** A first factor is enrolled: its recovery codes, once, and the way on. */
export async function sendRecoveryCodes(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  details: Details,
  given: Given,
) {
  if (wantsJson(request)) return reply.send(given)
  const locale = localeOf(details.params.ui_locales, request.headers['accept-language'])
  const system = lookOf(await findLook(parts.db, details.params.client_id))
  const page = recoveryCodesPage({
    locale,
    system,
    codes: given.recoveryCodes,
    next: { href: given.location },
  })
  return reply
    .header('content-security-policy', pagePolicy({ logoUrl: system.logoUrl }))
    .type('text/html')
    .send(page)
}

const lookOf = (system: { name: string; branding: Branding } | undefined): SystemLook => ({
  name: system?.name ?? '',
  ...system?.branding,
})

type Drawing = {
  look: SystemLook
  screen: Screen
  locale: Locale
  lengths: PasswordLengths
  email: string
  csrf: string
  links: Links
  providers: ProviderLink[]
  factor: FactorStep | undefined
  newcomer: Newcomer | undefined
  passkey: { action: string; options: object } | undefined
}

/** Where else the login leads. */
type Links = { register?: string; forgotPassword: string }
export type ProviderLink = { id: string; name: string; url: string }
const providersOf = ({ social }: Config, uid: string): ProviderLink[] =>
  social.map(({ id, name }) => ({ id, name, url: `/social/${id}/login?${new URLSearchParams({ uid })}` }))

const linksOf = (uid: string, open: boolean): Links => ({
  ...(open && { register: `/interaction/${uid}/register` }),
  forgotPassword: `/interaction/${uid}/forgot-password`,
})

function asPage(
  details: Details,
  { look: system, screen, locale, lengths, links, providers, email, csrf, passkey }: Drawing,
): string {
  const action = (step: string) => `/interaction/${details.uid}/${step}`
  const given = details.prompt.details
  const { errors } = spoken(screen, locale)
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
        passkey,
        providers,
        links,
        errors,
      })
  }
}

type Spoken = { notice: string | undefined; errors: { [Name in Faulty]?: string } }

/** What a screen adds, in words. */
export function spoken({ notice, errors = {}, retryAfter = 0 }: Screen, locale: Locale): Spoken {
  const say = (key: keyof Texts) => fillPlain(textsOf(locale)[key], { wait: waitOf(retryAfter, locale) })
  const sentences = Object.entries(errors).map(([name, key]) => [name, say(key)])
  return { notice: notice && say(notice), errors: Object.fromEntries(sentences) }
}

/** As people say it: `4 seconds`, `15 minutes`. */
function waitOf(seconds: number, locale: Locale): string {
  const [value, unit] = seconds < 90 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return new Intl.NumberFormat(LANGUAGE_TAGS[locale], { style: 'unit', unit, unitDisplay: 'long' }).format(
    value,
  )
}

/** Fields a product draws for itself; the address to send them to is `/interaction/:uid/<path>`. */
function asJson(details: Details, drawing: Omit<Drawing, 'email' | 'csrf'>) {
  const { look: system, screen, locale, lengths, links, providers, factor, newcomer, passkey } = drawing
  const name = screen.step ?? details.prompt.name
  const given = details.prompt.details
  const steps: Record<string, { path: string; fields: object[] }> = {
    login: {
      path: 'login',
      fields: [
        {
          name: 'email',
          type: 'email',
          required: true,
          value: screen.values?.email ?? details.params.login_hint ?? '',
        },
        { name: 'password', type: 'password', required: true },
      ],
    },
    change_password: { path: 'change-password', fields: [newPasswordField(lengths)] },
    select_account: {
      path: 'account',
      fields: [{ name: 'accountId', type: 'choice', required: true, options: given.accounts ?? [] }],
    },
    consent: {
      path: 'consent',
      fields: [{ name: 'decision', type: 'choice', required: false, options: [{ id: 'deny' }] }],
    },
    access: { path: 'abort', fields: [] },
  }
  const own = factor ? factorFields(factor) : newcomer && newcomerFields(newcomer)
  const { more, ...step } = own ?? { ...(steps[name] ?? steps.login!), more: {} }
  const errors = Object.entries(spoken(screen, locale).errors).map(([path, message]) => ({ path, message }))
  return {
    step: name,
    action: `/interaction/${details.uid}/${step.path}`,
    system,
    fields: step.fields,
    ...more,
    ...(passkey && { passkey }),
    ...(name === 'login' && { links, providers }),
    ...(name === 'consent' && { account: given.account, scopes: given.scopes }),
    ...(name === 'access' && { reason: given.reason }),
    errors,
  }
}

/** Browsers hold a page's form-action against every redirect that follows, up to the application's address. */
export function redirectOrigins(redirectUri: string | undefined): string[] {
  const url = redirectUri === undefined ? null : URL.parse(redirectUri)
  if (!url) return []
  return [url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : url.protocol]
}

const hostOf = (redirectUri: string | undefined) =>
  redirectUri === undefined ? undefined : URL.parse(redirectUri)?.host || undefined
