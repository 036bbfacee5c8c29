/** Name and language of the user. */
import { csrfField, field } from '../../forms.ts'
import { bdi, fill, html } from '../../html.ts'
import { LANGUAGE_TAGS, type Locale, textsOf } from '../../i18n/texts.ts'
import { type AccountPage, framed, textField } from './frame.ts'

export const PROFILE_FIELDS = ['name', 'givenName', 'familyName'] as const
export type Profile = { [Field in (typeof PROFILE_FIELDS)[number] | 'locale']: string | null }

/** The languages by their own names. */
const NAMES: Record<Locale, string> = { en: 'English', pt: 'Português', es: 'Español' }
const AUTOCOMPLETE = { name: 'name', givenName: 'given-name', familyName: 'family-name' } as const

export function profilePage({
  locale,
  csrf,
  email,
  profile,
  notice,
  errors = {},
}: AccountPage & { email: string; profile: Profile }) {
  const texts = textsOf(locale, 'account')
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
${field({
  id: 'locale',
  label: texts.language,
  error: undefined,
  input: () => html`<select id="locale" name="locale" autocomplete="language">
${languages.map(([tag, label]) => html`<option value="${tag}"${tag !== '' && html` lang="${tag}"`}${tag === (profile.locale ?? '') && html` selected`}>${label}</option>\n`)}</select>`,
})}
<div class="actions"><button type="submit" id="submit">${texts.save}</button></div>
</form>
<p class="note"><a href="/account/email" id="change-email">${texts.changeEmail}</a></p>`,
  })
}
