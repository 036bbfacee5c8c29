/** Texts of an application in the place of ours: what they may contain, and how they are filled. */
import type { FieldFault } from '../../errors.ts'
import { onOneLine } from '../../texts/names.ts'
import { kindOf, type OwnKind, placeholderOf, type ValueName } from './kinds.ts'

/** Null: ours. */
export type OwnTexts = {
  subject: string | null
  heading: string | null
  paragraphs: string[] | null
  button: string | null
  footer: string | null
}

export const TEXT_FIELDS = ['subject', 'heading', 'paragraphs', 'button', 'footer'] as const

/** In characters. */
export const LINE_MAX = 150
export const PARAGRAPH_MAX = 1_000
export const PARAGRAPHS_MAX = 10

/** A value in a text: `{{application}}`. */
const VALUE = /\{\{(\w+)\}\}/g

/** What is wrong with a text, if anything. */
function faultIn(text: string, names: readonly ValueName[]): string | undefined {
  if (text.trim() === '') return 'must not be empty'
  if (onOneLine(text) !== text) return 'must be one line, without control characters'
  const rest = text.replace(VALUE, (whole, name: string) =>
    names.some((each) => each === name) ? '' : whole,
  )
  if (!/[{}]/.test(rest)) return undefined
  return `can have no braces but ${names.map((name) => `{{${name}}}`).join(', ')}`
}

/** The faults of the texts of a kind, by field. */
export function faultsOfTexts(kind: OwnKind, texts: OwnTexts): FieldFault[] {
  const { names, button } = kindOf(kind)
  const faults = TEXT_FIELDS.flatMap((field) =>
    [texts[field]].flat().map((text, at): FieldFault | undefined => {
      const path = Array.isArray(texts[field]) ? `/${field}/${at}` : `/${field}`
      const message = text === null ? undefined : faultIn(text, names)
      return message === undefined ? undefined : { path, message }
    }),
  ).filter((fault) => fault !== undefined)
  if (texts.button !== null && !button)
    faults.push({ path: '/button', message: 'is for an email with a link' })
  return faults
}

/** A text with its values, each on one line. A value is not read again for names of others. */
export const fillOwn = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(VALUE, (whole, name: string) => {
    const placeholder = placeholderOf(name)
    return placeholder === undefined ? whole : onOneLine(values[placeholder] ?? '')
  })
