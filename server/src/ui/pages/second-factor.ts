/** Sign-in step: verification of a second factor. */

import { type Locale, textsOf } from '../../texts/texts.ts'
import { csrfField, errorSummary, field, leaveForm, passkeyForm } from '../forms.ts'
import { html } from '../html.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'
import { codeField } from './mailed-code.ts'

export type SecondFactorPage = {
  locale: Locale
  system: SystemLook
  action: string
  abort: string
  csrf: string
  totp: boolean
  recoveryCodes: boolean
  /** Options of navigator.credentials.get, if the user has a passkey. */
  passkey: object | undefined
  /** Messages by field. */
  errors?: { form?: string | undefined; code?: string | undefined; recoveryCode?: string | undefined }
}

type Offered = Pick<SecondFactorPage, 'totp' | 'recoveryCodes' | 'passkey'>

/** The JSON fields. One of them is sent; `passkey` is the JSON of the credential of navigator.credentials. */
export const secondFactorFields = ({ totp, recoveryCodes, passkey }: Offered): object[] => [
  ...(passkey ? [{ name: 'passkey', type: 'passkey', required: false, options: passkey }] : []),
  ...(totp ? [{ name: 'code', type: 'code', length: 6, required: false }] : []),
  ...(recoveryCodes ? [{ name: 'recoveryCode', type: 'text', required: false }] : []),
]

/** What the form says of a factor that is missing or malformed, and of one that is wrong. */
export const FACTOR_MISSING = { code: 'codeMissing', recoveryCode: 'recoveryMissing' } as const
export const FACTOR_WRONG = {
  passkey: { form: 'passkeyWrong' },
  recoveryCode: { recoveryCode: 'recoveryWrong' },
  totp: { code: 'codeWrong' },
} as const

export function secondFactorPage(page: SecondFactorPage): string {
  const { locale, system, action, abort, csrf, totp, passkey, errors = {} } = page
  const texts = textsOf(locale)
  return layout({
    locale,
    system,
    icon: icons.key,
    heading: texts.factorTitle,
    lead: totp ? (passkey ? texts.factorLeadEither : texts.factorLeadApp) : texts.factorLeadPasskey,
    faulty: Boolean(errors.form ?? errors.code ?? errors.recoveryCode),
    body: html`${errorSummary(locale, errors.form)}
${passkey && passkeyForm({ action, csrf, options: passkey, use: 'get', label: texts.passkeyUse, fault: texts.passkeyNone })}
${passkey && !totp && html`<p class="scriptless">${texts.passkeyScript}</p>`}
${totp && passkey && html`<p class="or scripted">${texts.or}</p>`}
${totp && appForm(page)}
${page.recoveryCodes && recoveryForm(page)}
${leaveForm(locale, abort, csrf)}`,
  })
}

const appForm = ({ locale, action, csrf, passkey, errors = {} }: SecondFactorPage) => {
  const texts = textsOf(locale)
  return html`<form method="post" action="${action}">
${csrfField(csrf)}
${codeField(texts.factorCode, errors.code, errors.form, !errors.recoveryCode)}
<div class="actions"><button type="submit" id="submit"${passkey && html` class="quiet"`}>${texts.continue}</button></div>
</form>`
}

const recoveryForm = ({ locale, action, csrf, errors = {} }: SecondFactorPage) => {
  const texts = textsOf(locale)
  return html`<details class="more"${errors.recoveryCode && html` open`}>
<summary>${texts.recoveryUse}</summary>
<form method="post" action="${action}">
${csrfField(csrf)}
${field({
  id: 'recoveryCode',
  label: texts.recoveryCode,
  error: errors.recoveryCode,
  hint: html`${texts.recoveryHint}`,
  input: (more) =>
    html`<input id="recoveryCode" name="recoveryCode" class="device-code" type="text" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="40" required${errors.recoveryCode && html` autofocus`}${more}>`,
})}
<div class="actions"><button type="submit" id="recover" class="quiet">${texts.continue}</button></div>
</form>
</details>`
}
