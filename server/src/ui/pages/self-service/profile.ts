/** The profile of the user: name and language, and details that are folded. */

import { LANGUAGE_NAMES, LANGUAGE_TAGS, type Locale, textsOf } from '../../../texts/texts.ts'
import { csrfField, field } from '../../forms.ts'
import { bdi, fill, html } from '../../html.ts'
import { icons } from '../../icons.ts'
import { type AccountPage, type Faults, framed, initials, textField } from './frame.ts'
import { panel, panelFoot, row, rowList } from './rows.ts'

export const NAMES = ['name', 'givenName', 'familyName'] as const
export const DETAILS = ['nickname', 'picture', 'website', 'birthdate', 'phoneNumber'] as const
type Field = (typeof NAMES | typeof DETAILS)[number] | 'locale' | 'zoneinfo'
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
  const input = (id: (typeof DETAILS)[number]) =>
    textField(
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
<div class="columns">
${DETAILS.map(input)}
</div>
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

export function profilePage(page: AccountPage & { profile: ProfileFields }): string {
  const { locale, notice, errors = {} } = page
  const texts = textsOf(locale, 'profile')
  return framed({
    reader: page,
    at: '/account',
    heading: texts.profileTitle,
    lead: texts.profileLead,
    notice,
    errors,
    labels: Object.fromEntries([...NAMES, ...DETAILS, 'zoneinfo' as const].map((id) => [id, texts[id]])),
    body: html`${panel({ body: profileForm(page) })}
${emailPanel(page)}
${deletePanel(page)}`,
  })
}

function profileForm({
  locale,
  csrf,
  person,
  profile,
  errors = {},
}: AccountPage & { profile: ProfileFields }) {
  const texts = textsOf(locale, 'profile')
  const [first, ...others] = namesIn(locale).map((id) =>
    textField(
      { id, label: texts[id], value: profile[id] ?? '', autocomplete: AUTOCOMPLETE[id], max: 100 },
      errors,
    ),
  )
  return html`<form method="post" action="/account">
${csrfField(csrf)}
<div class="body">
<div class="who">${initials(person.id, person.name ?? person.email, 'round l')}<p class="names">${bdi(person.name ?? person.email)}</p></div>
${first}
<div class="columns">${others}</div>
<div class="columns">${languageField(locale, profile.locale)}
${zoneField(texts.zoneinfo, profile.zoneinfo, errors)}</div>
${detailFields({ locale, profile, errors })}
</div>
${panelFoot(html`<button type="submit" id="submit">${texts.save}</button>`)}
</form>`
}

function deletePanel({ locale }: AccountPage) {
  const texts = textsOf(locale, 'profile')
  return panel({
    id: 'delete',
    title: texts.deleteTitle,
    hint: texts.deleteHint,
    action: html`<a class="button quiet danger" href="/account/delete" id="delete-profile">${texts.deleteTitle}</a>`,
  })
}

function emailPanel({ locale, person }: AccountPage) {
  const texts = textsOf(locale, 'profile')
  const change = html`<a class="button quiet" href="/account/email" id="change-email">${texts.changeEmail}</a>`
  return panel({
    id: 'address',
    title: texts.email,
    hint: texts.emailHint,
    body: rowList([row(icons.envelope, bdi(person.email), [], change)]),
  })
}
