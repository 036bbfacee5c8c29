/** What the pages of a person have in common: their names across the top, what was done, what was refused. */
import { type Content, type Html, html } from '../interaction/pages/html.ts'
import { icons } from '../interaction/pages/icons.ts'
import { errorSummary, field, layout } from '../interaction/pages/layout.ts'
import type { Locale } from '../interaction/texts.ts'
import { type OwnTexts, ownTexts } from './texts.ts'

const PAGES: [string, keyof OwnTexts][] = [
  ['/account', 'profile'],
  ['/account/password', 'password'],
  ['/account/security', 'security'],
  ['/account/sessions', 'sessions'],
  ['/account/accounts', 'memberships'],
]

export type Faults = { [id: string]: string | undefined }

type Framed = {
  locale: Locale
  /** The address of the page. */
  at: string
  heading: string
  lead?: Content
  /** Something was done. */
  notice?: string | undefined
  /** By field, with its label; `form` is of none. */
  errors?: Faults | undefined
  labels?: Record<string, string>
  icon?: Html
  script?: boolean
  body: Content
}

export function framed({ locale, at, heading, lead, notice, errors = {}, labels = {}, icon, script = false, body }: Framed) {
  const texts = ownTexts(locale)
  const faulty = Object.keys(labels).filter((id) => errors[id])
  return layout({
    locale,
    icon: icon ?? icons.person,
    heading,
    lead,
    faulty: Boolean(errors.form) || faulty.length > 0,
    script,
    body: html`<nav class="elsewhere pages" aria-label="${texts.pages}">
${PAGES.map(([href, key]) => html`<a href="${href}"${href === at && html` aria-current="page"`}>${texts[key]}</a>\n`)}</nav>
${notice && html`<p class="notice" role="status">${notice}</p>`}
${errorSummary(
  locale,
  errors.form,
  faulty.map((id) => ({ id, label: labels[id]! })),
)}
${body}
<nav class="elsewhere"><a href="/session/end" id="sign-out">${texts.signOut}</a></nav>`,
  })
}

type Input = { id: string; label: string; type?: string; value?: string | undefined; autocomplete: string; max?: number }

export const textField = ({ id, label, type = 'text', value, autocomplete, max }: Input, errors: Faults, hint?: Html): Html =>
  field({
    id,
    label,
    error: errors[id],
    describedBy: hint && `${id}-hint`,
    input: (more) =>
      html`<input id="${id}" name="${id}" type="${type}" autocomplete="${autocomplete}"${value !== undefined && html` value="${value}"`}${max !== undefined && html` maxlength="${max}"`}${type === 'password' && html` required`}${errors[id] && html` autofocus`}${more}>${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}`,
  })
