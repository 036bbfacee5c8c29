/** The page of an invitation, and the pages after it was answered. */

import { LANGUAGE_TAGS, type Locale, textsOf, timeInUtc } from '../../texts/texts.ts'
import { errorSummary, field, passwordField, tellsPasskeys, wayOn } from '../forms.ts'
import { bdi, type Content, fill, type Html, html } from '../html.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'

/**
 * `join`: signed in with the address. `sign_in`: the address has an account. `another`: the same, and the
 * browser is signed in with another one. `register`: it has no account. `confirm`: the link is no proof of
 * the mailbox.
 */
export type InvitationStep = 'join' | 'another' | 'sign_in' | 'register' | 'confirm'

export type InvitationPage = {
  locale: Locale
  system: SystemLook
  step: InvitationStep
  action: string
  token: string
  /** The address of the signed-in user, if another one is invited. */
  own?: string | undefined
  /** The address of the signed-in user, if the user can join with it. */
  joinAs?: string | undefined
  /** The address of the sign-in as the invited user. */
  signIn: string
  email: string
  account: string
  /** Name or address. */
  inviter: string | null
  roles: string[]
  message: string | null
  expiresAt: Date
  /** In characters. */
  lengths: { min: number; max: number }
  values?: { name?: string | undefined }
  errors?: { form?: string | undefined; name?: string | undefined; password?: string | undefined }
}

const FIELDS = ['name', 'password'] as const

export function invitationPage(page: InvitationPage): string {
  const { locale, system, account, inviter, errors = {} } = page
  const texts = textsOf(locale)
  const named = { account: bdi(account), system: bdi(system.name), inviter: bdi(inviter ?? system.name) }
  const labels = { name: texts.name, password: texts.password }
  const faulty = FIELDS.filter((id) => errors[id]).map((id) => ({ id, label: labels[id] }))
  return layout({
    locale,
    system,
    heading: texts.invitationTitle,
    names: { account },
    lead: fill(inviter === null ? texts.invitationLead : texts.invitationLeadBy, named),
    faulty: Boolean(errors.form) || faulty.length > 0,
    body: html`${errorSummary(locale, errors.form, faulty)}
${about(page, named)}
${answers(page, named)}
${withOwnAddress(page, named)}
<form method="post" action="${page.action}" class="alone">
<input type="hidden" name="token" value="${page.token}">
<div class="actions"><button type="submit" class="quiet" id="decline" name="decision" value="decline">${texts.invitationDecline}</button></div>
</form>`,
  })
}

type Named = { account: Content; system: Content; inviter: Content }

function about({ locale, roles, message, email, expiresAt, own }: InvitationPage, named: Named): Html {
  const texts = textsOf(locale)
  const list = new Intl.ListFormat(LANGUAGE_TAGS[locale], { type: 'conjunction' }).format(roles)
  return html`${
    message !== null &&
    html`<p id="writes">${fill(texts.invitationWrites, named)}</p>
<blockquote aria-labelledby="writes">${bdi(message)}</blockquote>`
  }
<p>${fill(texts.invitationFor, { email: html`<strong>${bdi(email)}</strong>` })} ${fill(texts.invitationExpires, { time: timeInUtc(expiresAt, locale) })}</p>
${roles.length > 0 && html`<p>${fill(texts.invitationRoles, { roles: bdi(list) })}</p>`}
${own !== undefined && html`<p>${fill(texts.invitationSignedIn, { own: bdi(own) })}</p>`}`
}

const hiddenToken = ({ token }: InvitationPage) => html`<input type="hidden" name="token" value="${token}">`

/** The answer with another address, beside that with the invited one. */
function withOwnAddress(page: InvitationPage, named: Named): Content {
  const { locale, action, joinAs } = page
  if (joinAs === undefined) return undefined
  const texts = textsOf(locale)
  return html`<form method="post" action="${action}" class="alone">
${hiddenToken(page)}
<input type="hidden" name="as" value="${joinAs}">
<p id="join-as">${fill(texts.invitationJoinAsLead, named)}</p>
<div class="actions"><button type="submit" class="quiet" id="accept-as" name="decision" value="accept" aria-describedby="join-as">${fill(texts.invitationJoinAs, { own: bdi(joinAs) })}</button></div>
</form>`
}

function answers(page: InvitationPage, named: Named): Html {
  const { locale, step, action, signIn, email } = page
  const texts = textsOf(locale)
  const hidden = hiddenToken(page)
  const toSignIn = html`<div class="actions"><a class="button" id="sign-in" href="${signIn}">${fill(texts.invitationSignIn, { email: bdi(email) })}</a></div>`
  switch (step) {
    case 'join':
      return html`<form method="post" action="${action}">
${hidden}
<div class="actions"><button type="submit" id="submit" name="decision" value="accept">${fill(texts.invitationAccept, named)}</button></div>
</form>`
    case 'register':
      return html`<p>${fill(texts.invitationRegister, { email: bdi(email) })}</p>
<form method="post" action="${action}"${tellsPasskeys}>
${hidden}
${registration(page)}
<div class="actions"><button type="submit" id="submit" name="decision" value="register">${fill(texts.invitationAccept, named)}</button></div>
</form>`
    case 'confirm':
      return html`<p>${fill(texts.invitationMail, { email: bdi(email) })}</p>
${toSignIn}
<form method="post" action="${action}">
${hidden}
<div class="actions"><button type="submit" class="quiet" id="mail" name="decision" value="mail">${fill(texts.invitationMailAction, { email: bdi(email) })}</button></div>
</form>`
    default: // another, sign_in
      return toSignIn
  }
}

/** The password is entered once; a mistyped one can be reset by email. */
function registration({ locale, email, lengths, values = {}, errors = {} }: InvitationPage): Html {
  const texts = textsOf(locale)
  const focus = errors.name ? 'name' : errors.password && 'password'
  return html`<input name="email" type="text" autocomplete="username" value="${email}" hidden>
${field({
  id: 'name',
  label: texts.name,
  error: errors.name,
  input: (more) =>
    html`<input id="name" name="name" type="text" autocomplete="name" maxlength="100" value="${values.name}"${focus === 'name' && html` autofocus`}${more}>`,
})}
${passwordField({
  locale,
  id: 'password',
  label: texts.password,
  kind: 'new',
  error: errors.password,
  hint: fill(texts.newPasswordHint, lengths),
  focus: focus === 'password',
})}`
}

export type AnsweredKind = 'Joined' | 'Pending' | 'Member' | 'Blocked' | 'Suspended' | 'Declined' | 'Mailed'

export type AnsweredPage = {
  locale: Locale
  system: SystemLook
  kind: AnsweredKind
  account: string
  email: string
  /** To the sign-in of the member, where another user is signed in. */
  signIn?: string | undefined
  /** The address of the signed-in user, who is not the member. */
  own?: string | undefined
}

const TONES = { tick: 'good', clock: 'wait', barred: 'plain', envelope: 'plain' } as const

const ANSWERED_ICONS: Record<AnsweredKind, keyof typeof TONES> = {
  Joined: 'tick',
  Pending: 'clock',
  Member: 'tick',
  Blocked: 'barred',
  Suspended: 'barred',
  Declined: 'barred',
  Mailed: 'envelope',
}

export function answeredPage({ locale, system, kind, account, email, signIn, own }: AnsweredPage): string {
  const texts = textsOf(locale)
  return layout({
    locale,
    system,
    icon: icons[ANSWERED_ICONS[kind]],
    end: TONES[ANSWERED_ICONS[kind]],
    heading: texts[`invitation${kind}Title`],
    names: { account },
    lead: fill(texts[`invitation${kind}Lead`], {
      account: bdi(account),
      system: bdi(system.name),
      email: bdi(email),
    }),
    body: html`${own !== undefined && html`<p>${fill(texts.invitationSignedIn, { own: bdi(own) })}</p>`}
${
  signIn === undefined
    ? wayOn(locale, system, { own: '/account/accounts' })
    : html`<div class="actions"><a class="button" id="next" href="${signIn}">${fill(texts.invitationSignIn, { email: bdi(email) })}</a></div>`
}`,
  })
}

export type InvitationGonePage = {
  locale: Locale
  /** The application, where the link is one of an invitation. */
  system?: SystemLook | undefined
  /** Whom to ask for another one: the inviter, or an administrator of the organization. */
  ask?: { inviter: string | null; account: string } | undefined
}

/** The link of an invitation is not valid. `ask`: because it has expired. */
export function invitationGonePage({ locale, system, ask }: InvitationGonePage): string {
  const texts = textsOf(locale)
  return layout({
    locale,
    system,
    icon: icons.clock,
    end: 'plain',
    heading: ask ? texts.invitationExpiredTitle : texts.invitationGoneTitle,
    lead:
      ask === undefined
        ? texts.invitationGoneLead
        : ask.inviter === null
          ? fill(texts.invitationExpiredLead, { account: bdi(ask.account) })
          : fill(texts.invitationExpiredLeadBy, { account: bdi(ask.account), inviter: bdi(ask.inviter) }),
    body: wayOn(locale, system),
  })
}
