/**
 * HTML as tagged templates: every interpolated text is escaped. Only values created in this file count as
 * markup; their key is a private symbol, so parsed JSON cannot imitate one. Attribute values must always be
 * quoted.
 */
import { type Message, templateOf } from '../texts/message.ts'

const markup = Symbol('markup')

export type Html = { readonly [markup]: string }

/** A value in a template. Absent values and `false` render as nothing, lists as their items. */
export type Content = string | number | Html | false | undefined | null | readonly Content[]

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Marks a text as markup. For constants only, never for input. */
export const raw = (text: string): Html => ({ [markup]: text })

export function html(strings: TemplateStringsArray, ...values: Content[]): Html {
  return raw(strings.reduce((before, string, index) => before + render(values[index - 1]) + string))
}

export function render(content: Content): string {
  if (content === undefined || content === null || content === false) return ''
  if (typeof content === 'object') return markup in content ? content[markup] : content.map(render).join('')
  return String(content).replace(/[&<>"']/g, (character) => ENTITIES[character]!)
}

/** A name from outside, isolated so that its writing direction does not affect the surrounding text. */
export const bdi = (text: string): Html => html`<bdi>${text}</bdi>`

/** A protocol term, such as the name of a parameter. */
export const protocolWord = (text: string, id?: string): Html =>
  html`<code${id && html` id="${id}"`}>${bdi(text)}</code>`

/** Fills the placeholders of a text: `{system}` becomes `values.system`. */
export function fill<Name extends string>(
  text: Message<Name>,
  values: Readonly<Record<Name, Content>>,
): Html {
  const given: Readonly<Record<string, Content>> = values
  const parts = templateOf(text).split(/(\{\w+\})/)
  return html`${parts.map((part) => (/^\{\w+\}$/.test(part) ? given[part.slice(1, -1)] : part))}`
}

/**
 * Like `fill`, for places without markup, such as titles: bidirectional controls are removed instead of
 * isolated.
 */
export function fillPlain<Name extends string>(
  text: Message<Name>,
  values: Readonly<Record<Name, string>>,
): string {
  const given: Readonly<Record<string, string>> = values
  return templateOf(text).replace(/\{(\w+)\}/g, (_, key: string) => withoutControls(given[key] ?? ''))
}

/** The text without bidirectional controls. */
export const withoutControls = (text: string): string =>
  text.replace(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '')
