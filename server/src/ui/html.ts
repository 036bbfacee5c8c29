/**
 * HTML by tagged template: every interpolated text is escaped. Only a value made here passes as markup, and since its key
 * is a symbol nobody else has, no parsed JSON can pretend to be one. Attribute values are always quoted.
 */
const markup = Symbol('markup')

export type Html = { readonly [markup]: string }

/** What a template takes: an absent value or `false` is nothing, a list is its items in a row. */
export type Content = string | number | Html | false | undefined | null | readonly Content[]

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Marks a text as markup already. For constants of our own only. */
export const raw = (text: string): Html => ({ [markup]: text })

export function html(strings: TemplateStringsArray, ...values: Content[]): Html {
  return raw(strings.reduce((before, string, index) => before + render(values[index - 1]) + string))
}

export function render(content: Content): string {
  if (content === undefined || content === null || content === false) return ''
  if (typeof content === 'object') return markup in content ? content[markup] : content.map(render).join('')
  return String(content).replace(/[&<>"']/g, (character) => ENTITIES[character]!)
}

/** A name somebody chose, set apart so that its writing direction can't reorder the text around it. */
export const bdi = (text: string): Html => html`<bdi>${text}</bdi>`

/** A word of a protocol, such as a parameter's name. */
export const protocolWord = (text: string, id?: string): Html =>
  html`<code${id && html` id="${id}"`}>${bdi(text)}</code>`

/** Completes a text of texts.ts: `{system}` becomes `values.system`. */
export function fill(text: string, values: Record<string, Content>): Html {
  return html`${text.split(/(\{\w+\})/).map((part) => (/^\{\w+\}$/.test(part) ? values[part.slice(1, -1)] : part))}`
}

/** The same where no markup can stand, such as a title: writing-direction controls are left out instead. */
export function fillPlain(text: string, values: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (_, key: string) =>
    (values[key] ?? '').replace(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, ''),
  )
}
