/** The last step of a sign-in with a password: the offer to create a passkey. */
import { type Locale, textsOf } from '../../texts/texts.ts'
import { csrfField, errorSummary, passkeyForm } from '../forms.ts'
import { html } from '../html.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'

export type PasskeyOfferPage = {
  locale: Locale
  system: SystemLook
  action: string
  csrf: string
  /** Options of navigator.credentials.create. */
  passkey: object | undefined
  errors?: { form?: string | undefined }
}

export function passkeyOfferPage({
  locale,
  system,
  action,
  csrf,
  passkey: options,
  errors = {},
}: PasskeyOfferPage): string {
  const texts = textsOf(locale)
  const form = { action, csrf, use: 'create', label: texts.enrolPasskey, fault: texts.offerFault } as const
  return layout({
    locale,
    system,
    icon: icons.fingerprint,
    heading: texts.offerTitle,
    lead: texts.offerLead,
    faulty: Boolean(errors.form),
    body: html`${errorSummary(locale, errors.form)}
${options && passkeyForm({ ...form, options })}
<form method="post" action="${action}" class="alone">
${csrfField(csrf)}
<div class="actions"><button type="submit" class="quiet" id="later" name="decision" value="later">${texts.offerLater}</button></div>
</form>
<p class="note">${texts.offerOwn}</p>`,
  })
}
