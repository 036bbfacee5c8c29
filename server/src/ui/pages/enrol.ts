/** Enrollment of a second factor during the sign-in, and the recovery codes shown after it. */
import {
  csrfField,
  errorSummary,
  leaveForm,
  type NextStep,
  nextStep,
  passkeyForm,
  passkeyNameField,
} from '../forms.ts'
import { bdi, fill, type Html, html } from '../html.ts'
import { type Locale, textsOf } from '../i18n/texts.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'
import { codeField } from './mailed-code.ts'

export type EnrolPage = {
  locale: Locale
  system: SystemLook
  action: string
  abort: string
  csrf: string
  /** TOTP secret in base32. */
  secret: string
  /** The secret as otpauth URI and as QR code. */
  uri: string
  qr: Html
  /** Options of navigator.credentials.create; undefined where passkeys are not available. */
  passkey: object | undefined
  /** Suggested name of the passkey. */
  usual: string
  /** Messages by field. */
  errors?: { form?: string | undefined; code?: string | undefined }
}

export function enrolPage({
  locale,
  system,
  action,
  abort,
  csrf,
  secret,
  uri,
  qr,
  passkey,
  usual,
  errors = {},
}: EnrolPage): string {
  const texts = textsOf(locale)
  return layout({
    locale,
    system,
    icon: icons.key,
    heading: texts.enrolTitle,
    lead: fill(texts.enrolLead, { system: bdi(system.name) }),
    faulty: Boolean(errors.form ?? errors.code),
    body: html`${errorSummary(locale, errors.form)}
${
  passkey &&
  html`<section class="scripted" aria-labelledby="with-passkey">
<h2 id="with-passkey">${texts.enrolPasskeyTitle}</h2>
<p class="lead">${texts.enrolPasskeyLead}</p>
${passkeyForm({ action, csrf, options: passkey, use: 'create', before: passkeyNameField({ id: 'name', label: texts.passkeyName, value: usual }), label: texts.enrolPasskey, fault: texts.passkeyNotMade })}
</section>`
}
<section aria-labelledby="with-app">
<h2 id="with-app">${texts.enrolAppTitle}</h2>
<p class="lead">${texts.enrolAppLead}</p>
<div class="secret">
${qr}
<p><a id="open-app" href="${uri}">${texts.enrolAppOpen}</a></p>
<p class="hint" id="secret-label">${texts.enrolSecret}</p>
<p><code id="secret" aria-labelledby="secret-label">${secret.replace(/.{4}(?=.)/g, '$& ')}</code></p>
</div>
<form method="post" action="${action}">
${csrfField(csrf)}
${codeField(texts.enrolCode, errors.code, errors.form, Boolean(errors.code))}
<div class="actions"><button type="submit" id="submit"${passkey && html` class="quiet"`}>${texts.enrolApp}</button></div>
</form>
</section>
${leaveForm(locale, abort, csrf)}`,
  })
}

export type RecoveryCodesPage = {
  locale: Locale
  system?: SystemLook | undefined
  codes: readonly string[]
  next: NextStep
}

export function recoveryCodesPage({ locale, system, codes, next }: RecoveryCodesPage): string {
  const texts = textsOf(locale)
  return layout({
    locale,
    system,
    icon: icons.check,
    heading: texts.recoveryTitle,
    lead: texts.recoveryLead,
    body: html`<ol class="codes" id="recovery-codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ol>
<p>${texts.recoveryOnce}</p>
${nextStep(locale, undefined, next)}`,
  })
}
