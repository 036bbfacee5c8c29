/** Forms for passkeys. passkey.js submits them; they are hidden without scripting. */
import { NAME_MAX } from '../authentication/passkey-names.ts'
import { type Content, type Html, html } from './html.ts'
import { csrfField, field } from './layout.ts'

export type PasskeyForm = {
  action: string
  csrf: string
  /** Options of navigator.credentials.get or .create, in their JSON form. */
  options: object
  use: 'get' | 'create'
  /** Whether the browser also offers passkeys in the autofill of the email field. */
  offered?: boolean
  label: string
  /** Message shown when the browser returned no passkey. */
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
