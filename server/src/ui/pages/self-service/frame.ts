/** The frame of the self-service pages: navigation, notice and errors. */

import type { KeyOf } from '../../../texts/message.ts'
import { type Catalog, type Locale, textsOf } from '../../../texts/texts.ts'
import { errorSummary, field } from '../../forms.ts'
import { type Content, type Html, html } from '../../html.ts'
import { icons } from '../../icons.ts'
import { type Heading, layout, type PlainHeading } from '../../layout.ts'

const PAGES: [string, KeyOf<Catalog['profile']>][] = [
  ['/account', 'profile'],
  ['/account/password', 'password'],
  ['/account/security', 'security'],
  ['/account/sessions', 'sessions'],
  ['/account/accounts', 'memberships'],
]

/** Messages by field; `form` belongs to no field. */
export type Faults = { [id: string]: string | undefined }

export type AccountPage = {
  locale: Locale
  csrf: string
  notice?: string | undefined
  errors?: Faults | undefined
}

type Framed = {
  locale: Locale
  /** The path of the page. */
  at: string
  /** Navigation between the pages of one organization. */
  tabs?: Html | undefined
  lead?: Content
  /** Confirms a change. */
  notice?: string | undefined
  errors?: Faults | undefined
  /** Labels of the fields that can have an error. */
  labels?: Record<string, string>
  icon?: Html
  body: Content
}

/** The entry of the navigation that a page without its own belongs to. */
const sectionOf = (at: string) =>
  at.startsWith('/account/organizations/') ? '/account/accounts' : '/account'

export function framed<Name extends string>(page: Framed & Heading<Name>): string
export function framed(page: Framed & PlainHeading): string
export function framed({
  locale,
  at,
  heading,
  names = {},
  tabs,
  lead,
  notice,
  errors = {},
  labels = {},
  icon,
  body,
}: Framed & (Heading<string> | PlainHeading)): string {
  const texts = textsOf(locale, 'profile')
  const within = PAGES.some(([href]) => href === at) ? at : sectionOf(at)
  const faulty = Object.keys(labels).filter((id) => errors[id])
  return layout({
    locale,
    icon: icon ?? icons.person,
    heading,
    names,
    lead,
    faulty: Boolean(errors.form) || faulty.length > 0,
    above: html`<p class="aside"><a href="/session/end" id="sign-out">${texts.signOut}</a></p>
<nav class="pages" aria-label="${texts.pages}">
${PAGES.map(([href, key]) => html`<a href="${href}"${href === at ? html` aria-current="page"` : href === within && html` aria-current="true"`}>${texts[key]}</a>\n`)}</nav>`,
    body: html`${tabs}
${notice && html`<p class="notice" role="status">${notice}</p>`}
${errorSummary(
  locale,
  errors.form,
  faulty.map((id) => ({ id, label: labels[id]! })),
)}
${body}`,
  })
}

type Input = {
  id: string
  label: string
  type?: 'text' | 'email' | 'url' | 'tel' | 'date'
  hint?: Html
  value?: string | undefined
  autocomplete: string
  max?: number
  focus?: boolean
}

export const textField = (
  { id, label, type = 'text', hint, value, autocomplete, max, focus }: Input,
  errors: Faults,
): Html =>
  field({
    id,
    label,
    error: errors[id],
    hint,
    input: (more) =>
      html`<input id="${id}" name="${id}" type="${type}" autocomplete="${autocomplete}"${type === 'email' && html` autocapitalize="none" spellcheck="false" required`}${value !== undefined && html` value="${value}"`}${max !== undefined && html` maxlength="${max}"`}${(focus ?? errors[id]) && html` autofocus`}${more}>`,
  })
