/** The pages themselves. */

import { browserOf } from '../../../authentication/passkey-names.ts'
import type { User } from '../../../resources/users/queries.ts'
import type { OwnMembership, OwnSession } from '../../../self-service/queries.ts'
import { initialOf } from '../../brand.ts'
import { bdi, type Content, fill, type Html, html } from '../../html.ts'
import { ownTexts } from '../../i18n/self-service/texts.ts'
import { LANGUAGE_TAGS, type Locale, textsOf } from '../../i18n/texts.ts'
import { icons } from '../../icons.ts'
import { csrfField } from '../../layout.ts'
import { passwordField } from '../../password-field.ts'
import { type Faults, framed, textField } from './frame.ts'

type Page = { locale: Locale; csrf: string; notice?: string | undefined; errors?: Faults | undefined }

export const PROFILE_FIELDS = ['name', 'givenName', 'familyName'] as const
export type Profile = { [Field in (typeof PROFILE_FIELDS)[number] | 'locale']: string | null }

const NAMES: Record<Locale, string> = { en: 'English', pt: 'Português', es: 'Español' }
const AUTOCOMPLETE = { name: 'name', givenName: 'given-name', familyName: 'family-name' } as const

export function profilePage({
  locale,
  csrf,
  email,
  profile,
  notice,
  errors = {},
}: Page & { email: string; profile: Profile }) {
  const texts = ownTexts(locale)
  const tags = Object.values(LANGUAGE_TAGS)
  const other =
    profile.locale !== null && !tags.includes(profile.locale)
      ? [[profile.locale, profile.locale] as const]
      : []
  const languages = [
    ['', texts.languageOfBrowser] as const,
    ...(Object.entries(LANGUAGE_TAGS) as [Locale, string][]).map(
      ([each, tag]) => [tag, NAMES[each]] as const,
    ),
    ...other,
  ]
  return framed({
    locale,
    at: '/account',
    heading: texts.profileTitle,
    lead: fill(texts.profileLead, { email: bdi(email) }),
    notice,
    errors,
    labels: { name: texts.name, givenName: texts.givenName, familyName: texts.familyName },
    body: html`<form method="post" action="/account">
${csrfField(csrf)}
${PROFILE_FIELDS.map((id) => textField({ id, label: texts[id], value: profile[id] ?? '', autocomplete: AUTOCOMPLETE[id], max: 100 }, errors))}
<section>
<h2 id="language">${texts.language}</h2>
<fieldset class="choices more" aria-labelledby="language">
${languages.map(([tag, label]) => html`<label class="choice"><span class="names">${bdi(label)}</span><input type="radio" name="locale" value="${tag}"${tag === (profile.locale ?? '') && html` checked`}></label>\n`)}</fieldset>
</section>
<div class="actions"><button type="submit" id="submit">${texts.save}</button></div>
</form>
<p class="note"><a href="/account/email" id="change-email">${texts.changeEmail}</a></p>`,
  })
}

type PasswordPage = Page & {
  user: Pick<User, 'email' | 'hasPassword'>
  lengths: { min: number; max: number }
}

export function passwordPage({ locale, csrf, user, lengths, notice, errors = {} }: PasswordPage): string {
  const texts = ownTexts(locale)
  const words = textsOf(locale)
  const labels = {
    current: texts.currentPassword,
    password: words.newPassword,
    passwordAgain: words.newPasswordAgain,
  }
  const hint = fill(words.newPasswordHint, { min: lengths.min, max: lengths.max })
  const first = user.hasPassword ? 'current' : 'password'
  const focus = (['current', 'password', 'passwordAgain'] as const).find((id) => errors[id]) ?? first
  const input = (id: keyof typeof labels, hint?: Html) =>
    passwordField({
      locale,
      id,
      label: labels[id],
      kind: id === 'current' ? 'current' : 'new',
      error: errors[id],
      hint,
      focus: id === focus,
    })
  return framed({
    locale,
    at: '/account/password',
    icon: icons.key,
    heading: user.hasPassword ? texts.passwordTitle : texts.firstPasswordTitle,
    lead: texts.passwordLead,
    notice,
    errors,
    labels,
    body: html`<form method="post" action="/account/password">
${csrfField(csrf)}
<input name="email" type="text" autocomplete="username" value="${user.email}" hidden>
${user.hasPassword && input('current')}
${input('password', hint)}
${input('passwordAgain')}
<div class="actions"><button type="submit" id="submit">${words.savePassword}</button></div>
</form>`,
  })
}

/** One of a list: a mark, its names, and a button of the form around the list. */
export const row = (name: Content, details: Content[], button: Content) =>
  html`<li class="identity"><span class="names">${name}${details.map((each) => each && html` <small>${each}</small>`)}</span>${button}</li>
`

const badge = (text: string): Html => html` <strong class="badge">${text}</strong>`

/** `of` says to who can't see the row what the button is about. */
export const small = (name: string, value: string, button: string, of: string): Html =>
  html`<span><button type="submit" class="link" name="${name}" value="${value}" aria-label="${of}" title="${of}">${button}</button></span>`

export function sessionsPage({
  locale,
  csrf,
  notice,
  sessions,
  here,
}: Page & { sessions: OwnSession[]; here: string }): string {
  const texts = ownTexts(locale)
  const time = new Intl.DateTimeFormat(LANGUAGE_TAGS[locale], {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  const item = (session: OwnSession) => {
    const browser = browserOf(session.userAgent) ?? texts.unknownBrowser
    const details = [
      bdi(session.account),
      html`${bdi(browser)}${session.ip && html` · ${bdi(session.ip)}`}`,
      fill(texts.sessionSince, { time: `${time.format(session.createdAt)} UTC` }),
    ]
    const name = html`${bdi(session.system)}${session.browserUid === here && badge(texts.sessionHere)}`
    const of = texts.endOf.replace('{system}', () => session.system)
    return row(name, details, small('sid', session.sid, texts.end, of))
  }
  return framed({
    locale,
    at: '/account/sessions',
    icon: icons.device,
    heading: texts.sessionsTitle,
    lead: sessions.length > 0 ? texts.sessionsLead : texts.sessionsNone,
    notice,
    body: html`${
      sessions.length > 0 &&
      html`<form method="post" action="/account/sessions/end">
${csrfField(csrf)}
<ul class="scopes">
${sessions.map(item)}</ul>
</form>`
    }
<form method="post" action="/account/sessions/end">
${csrfField(csrf)}
<input type="hidden" name="all" value="yes">
<p class="hint" id="others-hint">${texts.endOthersHint}</p>
<div class="actions"><button type="submit" id="end-others" class="quiet" aria-describedby="others-hint">${texts.endOthers}</button></div>
</form>`,
  })
}

export function membershipsPage({
  locale,
  csrf,
  notice,
  memberships,
}: Page & { memberships: OwnMembership[] }): string {
  const texts = ownTexts(locale)
  const item = ({ accountId, account, kind, system, status, roles, allowed }: OwnMembership) => {
    const details = [
      bdi(system),
      kind === 'personal' && texts.personal,
      roles.length > 0 && bdi(roles.join(', ')),
      allowed && allowed.length > 0 && fill(texts.allowed, { scopes: bdi(allowed.join(', ')) }),
    ]
    const of = texts.revokeOf.replace('{system}', () => system)
    const name = html`${bdi(account || initialOf(system))}${status !== 'active' && badge(texts[status])}`
    return row(name, details, allowed && small('accountId', accountId, texts.revoke, of))
  }
  return framed({
    locale,
    at: '/account/accounts',
    icon: icons.badge,
    heading: texts.membershipsTitle,
    lead: memberships.length > 0 ? texts.membershipsLead : texts.membershipsNone,
    notice,
    body:
      memberships.length > 0 &&
      html`<form method="post" action="/account/accounts/revoke">
${csrfField(csrf)}
<ul class="scopes">
${memberships.map(item)}</ul>
</form>`,
  })
}
