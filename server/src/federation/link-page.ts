/** The step that links an identity of another provider to an existing account, as a page and as JSON. */

import type { FastifyReply } from 'fastify'
import type { SocialProvider } from '../config/identity-providers.ts'
import { csrfToken, wantsJson } from '../http/forms-and-cookies.ts'
import { languageOf } from '../http/language.ts'
import { readShown, redirectToOutcome } from '../http/shown.ts'
import { placeOf, type SignInStep } from '../oidc/interaction.ts'
import { clientOf } from '../resources/systems/queries.ts'
import { type Locale, textsOf } from '../texts/texts.ts'
import {
  csrfField,
  errorSummary,
  field,
  type PageState,
  passwordField,
  sentencesOf,
  stateAfter,
} from '../ui/forms.ts'
import { bdi, fill, html } from '../ui/html.ts'
import { layout, pagePolicy, type SystemLook } from '../ui/layout.ts'
import { brandJson, lookOf } from '../ui/look.ts'
import { codeField } from '../ui/pages/mailed-code.ts'

export type LinkPage = {
  locale: Locale
  system: SystemLook
  provider: string
  action: string
  csrf: string
  values: { email?: string | undefined }
  /** Back to the other ways to sign in, and to register. */
  links: { signIn: string; register?: string }
  /** Whether a code can be requested instead of the password; `sent`: the page asks for it. */
  code?: 'offered' | 'sent' | undefined
  errors?: { [Name in 'form' | 'email' | 'password' | 'code']?: string | undefined }
}

export function sendIdentityLinkPage({
  locale,
  system,
  provider,
  action,
  csrf,
  values,
  links,
  code,
  errors = {},
}: LinkPage): string {
  if (code === 'sent') return linkCodePage({ locale, system, provider, action, csrf, values, links, errors })
  const texts = textsOf(locale)
  const labels = { email: texts.email, password: texts.password }
  const faulty = (['email', 'password'] as const)
    .filter((id) => errors[id])
    .map((id) => ({ id, label: labels[id] }))
  return layout({
    locale,
    system,
    heading: texts.connectTitle,
    names: { provider },
    lead: fill(texts.connectLead, { provider: bdi(provider) }),
    faulty: Boolean(errors.form) || faulty.length > 0,
    body: html`${errorSummary(locale, errors.form, faulty)}
<form method="post" action="${action}">
${csrfField(csrf)}
${field({
  id: 'email',
  label: labels.email,
  error: errors.email,
  describedBy: errors.form && 'form-error',
  input: (more) =>
    html`<input id="email" name="email" type="email" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254" required value="${values.email}"${!values.email && html` autofocus`}${more}>`,
})}
${passwordField({
  locale,
  id: 'password',
  label: labels.password,
  kind: 'current',
  error: errors.password,
  describedBy: errors.form && 'form-error',
  focus: Boolean(values.email),
})}
<div class="actions"><button type="submit" id="submit">${texts.connectSubmit}</button>
${code && html`<button type="submit" id="send" name="send" value="yes" class="quiet" formnovalidate>${texts.connectByCode}</button>`}</div>
</form>
<nav class="elsewhere">
<a href="${links.signIn}" id="sign-in">${texts.backToSignIn}</a>
${links.register && html`<a href="${links.register}" id="register">${texts.register}</a>`}
</nav>`,
  })
}

/** The code that was requested instead of the password. */
function linkCodePage({ locale, system, provider, action, csrf, values, links, errors = {} }: LinkPage) {
  const texts = textsOf(locale)
  return layout({
    locale,
    system,
    heading: texts.connectTitle,
    names: { provider },
    lead: fill(texts.connectCodeLead, { email: bdi(values.email ?? '') }),
    faulty: Boolean(errors.form ?? errors.code),
    body: html`${errorSummary(locale, errors.form)}
<form method="post" action="${action}">
${csrfField(csrf)}
<input type="hidden" name="email" value="${values.email}">
${codeField(texts.code, errors.code, errors.form)}
<div class="actions"><button type="submit" id="submit">${texts.connectSubmit}</button></div>
</form>
<nav class="elsewhere">
<a href="${action}" id="password">${texts.connectByPassword}</a>
<a href="${links.signIn}" id="sign-in">${texts.backToSignIn}</a>
</nav>`,
  })
}

type LinkState = PageState & { byCode?: boolean }

const linkPageOf = (uid: string) => `${uid} social`

/** The state in the address of the page. */
export function shownLink({ parts, request, interaction: { uid } }: SignInStep): LinkState | undefined {
  const found = readShown<LinkState>(parts.seal, request, linkPageOf(uid))
  return found && stateAfter(found.shown, found.age)
}

/** Sends the step in which a password or an emailed code shows whose account the identity belongs to. */
export async function sendLink(
  { parts, request, reply, interaction }: SignInStep,
  provider: SocialProvider,
  { byCode = false, ...state }: LinkState,
): Promise<FastifyReply> {
  const { uid, params } = interaction
  const address = `/interaction/${uid}/social`
  const outcome = { address, page: linkPageOf(uid), shown: { byCode, ...state }, status: state.status }
  const answer = redirectToOutcome(parts.seal, request, reply, outcome)
  if (answer) return answer
  const locale = languageOf(request, params.ui_locales)
  const found = await clientOf(parts.db, params.client_id)
  const system = lookOf(parts.config, found)
  const action = `/interaction/${uid}/social`
  const at = `/interaction/${uid}`
  const links = { signIn: at, ...(found?.open && { register: `${at}/register` }) }
  const { errors } = sentencesOf(state, locale)
  const offersCode = placeOf(found).scope !== null
  const email = state.values?.email ?? ''
  reply.code(state.status ?? 200)
  if (state.retryAfter !== undefined) reply.header('retry-after', String(state.retryAfter))
  if (wantsJson(request)) {
    const address = { name: 'email', type: 'email', required: true, value: email }
    const send = { name: 'send', type: 'choice', required: false, options: [{ id: 'yes' }] }
    const fields = byCode
      ? [address, { name: 'code', type: 'code', length: 6, required: true }]
      : [
          address,
          { name: 'password', type: 'password', required: !offersCode },
          ...(offersCode ? [send] : []),
        ]
    const listed = Object.entries(errors).map(([path, message]) => ({ path, message }))
    const { id, name } = provider
    return reply.send({
      step: 'link_identity',
      action,
      system: brandJson(system),
      provider: { id, name },
      fields,
      links,
      errors: listed,
    })
  }
  const csrf = csrfToken(parts.seal, uid)
  const page = sendIdentityLinkPage({
    locale,
    system,
    provider: provider.name,
    action,
    csrf,
    values: { email },
    links,
    code: byCode ? 'sent' : offersCode ? 'offered' : undefined,
    errors,
  })
  const csp = pagePolicy({ logoUrl: system.logoUrl, forms: 'away', page })
  return reply.header('content-security-policy', csp).type('text/html').send(page)
}
