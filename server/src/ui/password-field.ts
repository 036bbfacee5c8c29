import { fillPlain, type Html, html } from './html.ts'
import { type Locale, textsOf } from './i18n/texts.ts'
import { icons } from './icons.ts'
import { field } from './layout.ts'

export type PasswordField = {
  locale: Locale
  id: string
  label: string
  /** The current password of the user, or a new one. */
  kind: 'current' | 'new'
  error: string | undefined
  hint?: Html | undefined
  describedBy?: string | undefined
  focus?: boolean
}

/** A password field with a button that shows the password (reveal.js). */
export function passwordField({
  locale,
  id,
  label,
  kind,
  error,
  hint,
  describedBy,
  focus = false,
}: PasswordField): Html {
  const show = fillPlain(textsOf(locale).showField, { field: label })
  return field({
    id,
    label,
    error,
    hint,
    describedBy,
    input: (more) => html`<span class="password">
<input id="${id}" name="${id}" type="password" autocomplete="${kind}-password" autocapitalize="none" autocorrect="off" spellcheck="false" required${focus && html` autofocus`}${more}>
<button type="button" class="reveal" aria-controls="${id}" aria-pressed="false" aria-label="${show}" title="${show}" hidden>${icons.eye}</button>
</span>`,
  })
}
