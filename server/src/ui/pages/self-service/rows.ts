/** Lists with a button in each row. */

import { LANGUAGE_TAGS, type Locale } from '../../../texts/texts.ts'
import { bdi, type Content, type Html, html } from '../../html.ts'

/** A row of a list: a name with details, and what can be done with it. */
export const row = (name: Content, details: Content[], ...actions: Content[]) =>
  html`<li class="identity"><span class="names">${name}${details.map((each) => each && html` <small>${each}</small>`)}</span>${actions}</li>
`

/** Names in a row, as the language separates them. */
export const namesOf = (locale: Locale, names: readonly string[]): Content =>
  new Intl.ListFormat(LANGUAGE_TAGS[locale], { type: 'unit' })
    .formatToParts(names)
    .map(({ type, value }) => (type === 'element' ? bdi(value) : value))

export const badge = (text: string): Html => html` <strong class="badge">${text}</strong>`

/**
 * A button in a row. `of`: its accessible name, which states what it acts on. `form`: the id of its form, if
 * that is not around the list.
 */
export const rowButton = (name: string, value: string, button: string, of: string, form?: string): Html =>
  html`<span><button type="submit" class="link" name="${name}" value="${value}"${form && html` form="${form}"`} aria-label="${of}" title="${of}">${button}</button></span>`
