/** The pages themselves. */
import { bdi, type Content, fill, type Html, html } from '../interaction/pages/html.ts'
import { icons } from '../interaction/pages/icons.ts'
import { csrfField, initialOf } from '../interaction/pages/layout.ts'
import { LANGUAGE_TAGS, type Locale, textsOf } from '../interaction/texts.ts'
import type { User } from '../users/queries.ts'
import { type Faults, framed, textField } from './frame.ts'
import type { OwnMembership, OwnSession } from './queries.ts'
import { ownTexts } from './texts.ts'

type Page = { locale: Locale; csrf: string; notice?: string | undefined; errors?: Faults | undefined }

export const PROFILE_FIELDS = ['name', 'givenName', 'familyName'] as const
export type Profile = { [Field in (typeof PROFILE_FIELDS)[number] | 'locale']: string | null }

const NAMES: Record<Locale, string> = { en: 'English', pt: 'Português', es: 'Español' }
const AUTOCOMPLETE = { name: 'name', givenName: 'given-name', familyName: 'family-name' } as const

export function profilePage({ locale, csrf, email, profile, notice, errors = {} }: Page & { email: string; profile: Profile }) {
  const texts = ownTexts(locale)
  const tags = Object.values(LANGUAGE_TAGS)
  const other = profile.locale !== null && !tags.includes(profile.locale) ? [[profile.locale, profile.locale] as const] : []
  const languages = [
    ['', texts.languageOfBrowser] as const,
    ...(Object.entries(LANGUAGE_TAGS) as [Locale, string][]).map(([each, tag]) => [tag, NAMES[each]] as const),
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

type PasswordPage = Page & { user: Pick<User, 'email' | 'hasPassword'>; lengths: { min: number; max: number } }

export function passwordPage({ locale, csrf, user, lengths, notice, errors = {} }: PasswordPage): string {
  const texts = ownTexts(locale)
  const words = textsOf(locale)
  const labels = { current: texts.currentPassword, password: words.newPassword, passwordAgain: words.newPasswordAgain }
  const hint = fill(words.newPasswordHint, { min: lengths.min, max: lengths.max })
  const input = (id: keyof typeof labels, autocomplete: string, more?: Html) =>
    textField({ id, label: labels[id], type: 'password', autocomplete }, errors, more)
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
${user.hasPassword && input('current', 'current-password')}
${input('password', 'new-password', hint)}
${input('passwordAgain', 'new-password')}
<div class="actions"><button type="submit" id="submit">${words.savePassword}</button></div>
</form>`,
  })
}

/** One of a list: a mark, its names, and a button of the form around the list. */
export const row = (name: Content, details: Content[], button: Content) =>
  html`<li class="identity"><span class="names">${name}${details.map((each) => each && html` <small>${each}</small>`)}</span>${button}</li>
`

/** `of` says to who can't see the row what the button is about. */
export const small = (name: string, value: string, button: string, of: string): Html =>
  html`<span><button type="submit" class="link" name="${name}" value="${value}" aria-label="${of}" title="${of}">${button}</button></span>`

/** The browser and the system of a user agent, in two words; nobody depends on it. */
export function browserOf(userAgent: string | null): string | undefined {
  const named = [/\b(Edg|OPR|Firefox|Chrome|Safari|curl)\b/, /\b(Windows|Android|iPhone|iPad|Mac OS X|Linux)\b/]
  const words = named.map((pattern) => pattern.exec(userAgent ?? '')?.[1]).filter((word) => word !== undefined)
  return words.length > 0 ? words.join(', ').replace('Edg', 'Edge').replace('OPR', 'Opera') : undefined
}

export function sessionsPage({ locale, csrf, notice, sessions, here }: Page & { sessions: OwnSession[]; here: string }): string {
  const texts = ownTexts(locale)
  const time = new Intl.DateTimeFormat(LANGUAGE_TAGS[locale], { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  const item = (session: OwnSession) => {
    const browser = browserOf(session.userAgent) ?? texts.unknownBrowser
    const since = `${time.format(session.createdAt)} UTC`
    const details = [
      bdi(session.account),
      fill(texts.sessionDetail, { browser: bdi(browser), time: since }),
      session.ip && bdi(session.ip),
      session.browserUid === here && html`<strong>${texts.sessionHere}</strong>`,
    ]
    const of = texts.endOf.replace('{system}', () => session.system)
    return row(bdi(session.system), details, small('sid', session.sid, texts.end, of))
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

export function membershipsPage({ locale, csrf, notice, memberships }: Page & { memberships: OwnMembership[] }): string {
  const texts = ownTexts(locale)
  const item = ({ accountId, account, kind, system, status, roles, allowed }: OwnMembership) => {
    const details = [
      bdi(system),
      kind === 'personal' && texts.personal,
      roles.length > 0 && bdi(roles.join(', ')),
      status !== 'active' && texts[status],
      allowed && allowed.length > 0 && fill(texts.allowed, { scopes: bdi(allowed.join(', ')) }),
    ]
    const of = texts.revokeOf.replace('{system}', () => system)
    return row(bdi(account || initialOf(system)), details, allowed && small('accountId', accountId, texts.revoke, of))
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
