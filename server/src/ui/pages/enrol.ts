/** Enrollment of a second factor during the sign-in, and the recovery codes shown after it. */

import { type Locale, textsOf } from '../../texts/texts.ts'
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
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'
import { codeField } from './mailed-code.ts'

export type EnrolPage = {
  locale: Locale
  system: SystemLook
  action: string
  abort: string
  csrf: string
  app: AppOffer
  /** The organization that requires it; by default the system. */
  account?: string | undefined
  /** Options of navigator.credentials.create; undefined where passkeys are not available. */
  passkey: object | undefined
  /** Messages by field. */
  errors?: { form?: string | undefined; code?: string | undefined }
}

/** The user chooses a method; the QR code is shown to those who choose the app. */
export function enrolPage({
  locale,
  system,
  action,
  abort,
  csrf,
  app,
  account = system.name,
  passkey,
  errors = {},
}: EnrolPage): string {
  const texts = textsOf(locale)
  return layout({
    locale,
    system,
    icon: icons.key,
    heading: texts.enrolTitle,
    lead: fill(texts.enrolLead, { system: bdi(account) }),
    faulty: Boolean(errors.form ?? errors.code),
    body: html`${errorSummary(locale, errors.form)}
${passkey && newPasskeySection({ locale, action, csrf, passkey })}
${newAppSection({ locale, action, csrf, app, open: !passkey, errors })}
<p class="note">${texts.enrolRecovery}</p>
${leaveForm(locale, abort, csrf)}`,
  })
}

type Form = { locale: Locale; action: string; csrf: string }

function newPasskeySection({ locale, action, csrf, passkey }: Form & { passkey: object }): Html {
  const texts = textsOf(locale)
  return html`<section class="method scripted" aria-labelledby="with-passkey">
<h2 id="with-passkey">${icons.fingerprint}${texts.enrolPasskeyTitle}</h2>
<p class="lead">${texts.enrolPasskeyLead}</p>
${passkeyForm({ action, csrf, options: passkey, use: 'create', label: texts.enrolPasskey, fault: texts.passkeyNotMade })}
</section>`
}

/** A TOTP secret in base32, as otpauth URI and as QR code. */
export type AppOffer = { secret: string; uri: string; qr: Html }

type NewApp = Form & {
  app: AppOffer
  /** The only method, or the one that the user has tried. */
  open: boolean
  errors: { form?: string | undefined; code?: string | undefined }
}

export function newAppSection({ locale, action, csrf, app, open, errors }: NewApp): Html {
  const texts = textsOf(locale)
  return html`<section class="method" aria-labelledby="with-app">
<h2 id="with-app">${icons.phone}${texts.enrolAppTitle}</h2>
<p class="lead">${texts.enrolAppChoice}</p>
<details${(open || errors.code) && html` open`}>
<summary class="button quiet" id="use-app">${texts.enrolAppUse}</summary>
<p>${texts.enrolAppLead}</p>
<div class="secret">
${app.qr}
<p><a id="open-app" href="${app.uri}">${texts.enrolAppOpen}</a></p>
<p class="hint" id="secret-label">${texts.enrolSecret}</p>
<p><code id="secret" aria-labelledby="secret-label">${app.secret.replace(/.{4}(?=.)/g, '$& ')}</code></p>
</div>
<form method="post" action="${action}">
${csrfField(csrf)}
${codeField(texts.enrolCode, errors.code, errors.form, Boolean(errors.code))}
<div class="actions"><button type="submit" id="submit">${texts.enrolApp}</button></div>
</form>
</details>
</section>`
}

export type FactorAddedPage = {
  locale: Locale
  system?: SystemLook | undefined
  /** New recovery codes, if the factor is the first one. */
  codes: readonly string[]
  next: NextStep
  /** The passkey that the sign-in has enrolled, with its default name, which the user can change. */
  passkey?: { action: string; csrf: string; name: string } | undefined
}

/** The codes, and what keeps them (keep.js). A click selects all of them. */
export function recoveryCodeList(locale: Locale, codes: readonly string[]): Html {
  const texts = textsOf(locale)
  const button = (act: 'copy' | 'download' | 'print', label: string) =>
    html`<button type="button" class="quiet" data-act="${act}">${icons[act]}${label}</button>
`
  return html`<ol class="codes" id="recovery-codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ol>
<div class="keep scripted" data-keep="recovery-codes">
${button('copy', texts.codesCopy)}${button('download', texts.codesDownload)}${button('print', texts.codesPrint)}<p class="hint" role="status" data-done="${texts.codesCopied}"></p></div>`
}

export function factorAddedPage({ locale, system, codes, next, passkey }: FactorAddedPage): string {
  const texts = textsOf(locale)
  const hasCodes = codes.length > 0
  return layout({
    locale,
    system,
    icon: icons.check,
    heading: hasCodes ? texts.recoveryTitle : texts.passkeyMadeTitle,
    lead: hasCodes ? texts.recoveryLead : texts.passkeyNameHint,
    body: html`${
      hasCodes &&
      html`${recoveryCodeList(locale, codes)}
<p>${texts.recoveryOnce}</p>`
    }
${
  passkey
    ? html`<form method="post" action="${passkey.action}">
${csrfField(passkey.csrf)}
${passkeyNameField({ id: 'name', label: texts.passkeyName, value: passkey.name, hint: hasCodes ? texts.passkeyNameHint : undefined })}
<div class="actions"><button type="submit" id="submit">${texts.continue}</button></div>
</form>`
    : next && nextStep(locale, undefined, next)
}`,
  })
}
