/** What pages have of passkeys: a form that passkey.js sends, and which is not shown where scripts don't run. */
import { NAME_MAX } from '../authentication/passkey-names.ts'
import { type Content, type Html, html } from './html.ts'
import { csrfField, field } from './layout.ts'

export type PasskeyForm = {
  action: string
  csrf: string
  /** For navigator.credentials, in JSON. */
  options: object
  use: 'get' | 'create'
  /** Whether the browser may offer passkeys beside the form as well. */
  offered?: boolean
  label: string
  /** What is said when the browser gave none. */
  fault: string
  quiet?: boolean
  before?: Content
}

export function passkeyForm({
  action,
  csrf,
  options,
  use,
  offered,
  label,
  fault,
  quiet,
  before,
}: PasskeyForm): Html {
  return html`<form method="post" action="${action}" class="scripted" data-passkey="${use}" data-options="${JSON.stringify(options)}"${offered && html` data-offered`}>
${csrfField(csrf)}
<input type="hidden" name="passkey" value="">
${before}
<div class="actions"><button type="submit" id="passkey"${quiet && html` class="quiet"`}>${label}</button></div>
<p class="fault" role="alert" data-fault="${fault}"></p>
</form>`
}

export const passkeyNameField = ({
  id,
  label,
  value,
  error,
}: {
  id: string
  label: string
  value: string
  error?: string | undefined
}) =>
  field({
    id,
    label,
    error,
    input: (more) =>
      html`<input id="${id}" name="name" type="text" autocomplete="off" value="${value}" maxlength="${NAME_MAX}" required${error && html` autofocus`}${more}>`,
  })
