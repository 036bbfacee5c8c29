/** The profile of the user: name and language, and details that are folded. */

import { LANGUAGE_NAMES, LANGUAGE_TAGS, type Locale, textsOf } from '../../../texts/texts.ts'
import { csrfField, field } from '../../forms.ts'
import { bdi, fill, html } from '../../html.ts'
import { type AccountPage, type Faults, framed, textField } from './frame.ts'

export const NAMES = ['name', 'givenName', 'familyName'] as const
export const DETAILS = ['nickname', 'picture', 'website', 'birthdate', 'zoneinfo', 'phoneNumber'] as const
type Field = (typeof NAMES | typeof DETAILS)[number] | 'locale'
export type ProfileFields = { [Name in Field]: string | null }

const AUTOCOMPLETE = {
  name: 'name',
  givenName: 'given-name',
  familyName: 'family-name',
  nickname: 'nickname',
  picture: 'photo',
  website: 'url',
  birthdate: 'bday',
  phoneNumber: 'tel',
} as const
const TYPES: { [Name in Field]?: 'url' | 'tel' } = { picture: 'url', website: 'url', phoneNumber: 'tel' }

function typeOf(field: Field, value: string | null) {
  if (field !== 'birthdate') return TYPES[field] ?? 'text'
  // A calendar shows whole dates only; without the year or the day the date is entered as text.
  return value === null || /^(?!0000)\d{4}-/.test(value) ? 'date' : 'text'
}

function detailFields({
  locale,
  profile,
  errors,
}: {
  locale: Locale
  profile: ProfileFields
  errors: Faults
}) {
  const texts = textsOf(locale, 'profile')
  const phone = { hint: fill(texts.forExample, { example: bdi('+351 210 000 000') }) }
  const row = (id: (typeof DETAILS)[number]) =>
    id === 'zoneinfo'
      ? zoneField(texts.zoneinfo, profile.zoneinfo, errors)
      : textField(
          {
            id,
            label: texts[id],
            type: typeOf(id, profile[id]),
            value: profile[id] ?? '',
            autocomplete: AUTOCOMPLETE[id],
            max: 500,
            ...(id === 'phoneNumber' && phone),
          },
          errors,
        )
  return html`<details class="more"${DETAILS.some((id) => errors[id]) && html` open`}>
<summary>${texts.moreDetails}</summary>
${DETAILS.map(row)}
</details>`
}

function zoneField(label: string, chosen: string | null, errors: Faults) {
  const zones = new Set(['', ...(chosen === null ? [] : [chosen]), ...Intl.supportedValuesOf('timeZone')])
  const option = (zone: string) =>
    html`<option value="${zone}"${zone === (chosen ?? '') && html` selected`}>${zone}</option>\n`
  return field({
    id: 'zoneinfo',
    label,
    error: errors.zoneinfo,
    input: (more) => html`<select id="zoneinfo" name="zoneinfo"${more}>
${[...zones].map(option)}</select>`,
  })
}

/** A stored language that the pages do not have is offered as well. */
function languageField(locale: Locale, chosen: string | null) {
  const texts = textsOf(locale, 'profile')
  const languages = new Map(
    Object.entries(LANGUAGE_NAMES).map(([each, name]) => [LANGUAGE_TAGS[each as Locale], name]),
  )
  if (chosen !== null && !languages.has(chosen)) languages.set(chosen, chosen)
  const option = ([tag, name]: [tag: string, name: string]) =>
    html`<option value="${tag}" lang="${tag}"${tag === chosen && html` selected`}>${name}</option>\n`
  return field({
    id: 'locale',
    label: texts.language,
    error: undefined,
    input: () => html`<select id="locale" name="locale" autocomplete="language">
<option value=""${chosen === null && html` selected`}>${texts.languageOfBrowser}</option>
${[...languages].map(option)}</select>`,
  })
}

/** Japanese names begin with the family name. */
const namesIn = (locale: Locale) => (locale === 'ja' ? (['name', 'familyName', 'givenName'] as const) : NAMES)

export function profilePage({
  locale,
  csrf,
  email,
  profile,
  notice,
  errors = {},
}: AccountPage & { email: string; profile: ProfileFields }) {
  const texts = textsOf(locale, 'profile')
  return framed({
    locale,
    at: '/account',
    heading: texts.profileTitle,
    lead: fill(texts.profileLead, { email: bdi(email) }),
    notice,
    errors,
    labels: Object.fromEntries([...NAMES, ...DETAILS].map((id) => [id, texts[id]])),
    body: html`<form method="post" action="/account">
${csrfField(csrf)}
${namesIn(locale).map((id) => textField({ id, label: texts[id], value: profile[id] ?? '', autocomplete: AUTOCOMPLETE[id], max: 100 }, errors))}
${languageField(locale, profile.locale)}
${detailFields({ locale, profile, errors })}
<div class="actions"><button type="submit" id="submit">${texts.save}</button></div>
</form>
<p class="note"><a href="/account/email" id="change-email">${texts.changeEmail}</a></p>`,
  })
}
