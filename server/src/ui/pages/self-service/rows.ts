/** Panels and lists with a button in each row. */

import { LANGUAGE_TAGS, type Locale } from '../../../texts/texts.ts'
import { csrfField } from '../../forms.ts'
import { bdi, type Content, type Html, html } from '../../html.ts'
import { icons } from '../../icons.ts'

type Panel = {
  /** The id of its title. */
  id?: string
  title?: Content
  hint?: Content
  /** Beside the title. */
  action?: Content
  body?: Content
}

export const panel = ({ id, title, hint, action, body }: Panel): Html => {
  const isNamed = id !== undefined && title !== undefined
  return html`<section class="panel"${isNamed && html` aria-labelledby="${id}"`}>
${
  isNamed &&
  html`<header><div><h2 id="${id}">${title}</h2>${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}</div>${action}</header>
`
}${body}
</section>
`
}

type Fold = Panel & { id: string; title: Content; isOpen: boolean }

/** A panel whose title opens it. */
export const foldedPanel = ({ id, title, hint, body, isOpen }: Fold): Html =>
  html`<section class="panel" aria-labelledby="${id}">
<details class="fold"${isOpen && html` open`}><summary><h2 id="${id}">${title}</h2
>${icons.down}${hint && html`<small>${hint}</small>`}</summary>
${body}
</details>
</section>
`

/** The foot of a form in a panel. */
export const panelFoot = (...content: Content[]): Html => html`<div class="foot-row">${content}</div>`

type PanelForm = {
  action: string
  csrf: string
  /** Hidden fields. */
  hidden?: Content
  body: Content
  isColumns?: boolean
  /** The buttons. */
  foot: Content[]
}

/** A form that fills a panel. */
export const panelForm = ({ action, csrf, hidden, body, isColumns, foot }: PanelForm): Html =>
  html`<form method="post" action="${action}">
${csrfField(csrf)}${hidden}
<div class="body${isColumns && ' columns'}">
${body}
</div>
${panelFoot(...foot)}
</form>`

export const rowList = (items: readonly Content[]): Html => html`<ul class="rows">
${items}</ul>`

/** An empty list says so. */
export const emptyList = (icon: (typeof icons)[keyof typeof icons], text: string): Html =>
  html`<p class="empty" role="status">${icon}${text}</p>`

/** A row of a list: an icon, a name with details, and what can be done with it. */
export const row = (icon: Content, name: Content, details: Content[], ...actions: Content[]) => {
  const shown = details.filter((each) => each !== undefined && each !== false && each !== '')
  return html`<li>${icon}<span class="names">${name}${shown.map((each) => html` <small>${each}</small>`)}</span>${actions}</li>
`
}

/** Details on one line. */
export const joined = (...details: Content[]): Content =>
  details
    .filter((each) => each !== undefined && each !== null && each !== false && each !== '')
    .map((each, at) => html`${at > 0 && ' · '}${each}`)

/** Names in a row, as the language separates them; a row of units has only spaces in Japanese. */
export const namesOf = (locale: Locale, names: readonly string[]): Content =>
  new Intl.ListFormat(LANGUAGE_TAGS[locale], { type: locale === 'ja' ? 'conjunction' : 'unit' })
    .formatToParts(names)
    .map(({ type, value }) => (type === 'element' ? bdi(value) : value))

export const badge = (text: string, tone: '' | 'good' | 'wait' | 'bad' = ''): Html =>
  html` <strong class="badge${tone && ` ${tone}`}">${text}</strong>`

type RowButton = {
  name: string
  value: string
  text: string
  /** Its accessible name, which states what it acts on. */
  of: string
  /** The id of its form, if that is not around the list. */
  form?: string | undefined
  isDangerous?: boolean
}

export const rowButton = ({ name, value, text, of, form, isDangerous = false }: RowButton): Html =>
  html`<button type="submit" class="quiet${isDangerous && ' danger'}" name="${name}" value="${value}"${form && html` form="${form}"`} aria-label="${of}" title="${of}">${text}</button>`
