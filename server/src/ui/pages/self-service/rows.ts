/** Lists with a button in each row. */
import { type Content, type Html, html } from '../../html.ts'

/** A row of a list: a name with details, and a button of the form around the list. */
export const row = (name: Content, details: Content[], button: Content) =>
  html`<li class="identity"><span class="names">${name}${details.map((each) => each && html` <small>${each}</small>`)}</span>${button}</li>
`

export const badge = (text: string): Html => html` <strong class="badge">${text}</strong>`

/** A button in a row. `of`: its accessible name, which states what it acts on. */
export const rowButton = (name: string, value: string, button: string, of: string): Html =>
  html`<span><button type="submit" class="link" name="${name}" value="${value}" aria-label="${of}" title="${of}">${button}</button></span>`
