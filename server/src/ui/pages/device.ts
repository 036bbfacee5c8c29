/** Device authorization (RFC 8628): the user enters the code of the device, then confirms it. */

import { LANGUAGE_TAGS, type Locale, textsOf } from '../../texts/texts.ts'
import { errorSummary, field } from '../forms.ts'
import { bdi, type Content, type Html, html } from '../html.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'

/** The endpoint of oidc-provider and its CSRF token. */
type DeviceForm = { locale: Locale; action: string; xsrf: string }

/** `values`: the submitted values. `errors`: messages; `form` belongs to no field. */
export type DeviceCodePage = DeviceForm & {
  values?: { code?: string | undefined }
  errors?: { form?: string | undefined; code?: string | undefined }
}

export function deviceCodePage({ locale, action, xsrf, values = {}, errors = {} }: DeviceCodePage): string {
  const texts = textsOf(locale)
  const { form, code } = errors
  return layout({
    locale,
    icon: icons.device,
    heading: texts.deviceTitle,
    lead: texts.deviceLead,
    faulty: Boolean(form ?? code),
    body: html`${errorSummary(locale, form)}
<form method="post" action="${action}">
<input type="hidden" name="xsrf" value="${xsrf}">
${field({
  id: 'user_code',
  label: texts.deviceCode,
  error: code,
  describedBy: form && 'form-error',
  input: (more) =>
    html`<input id="user_code" name="user_code" class="device-code" type="text" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="40" required autofocus value="${values.code}"${more}>`,
})}
<div class="actions"><button type="submit" id="submit">${texts.continue}</button></div>
</form>`,
  })
}

export type DeviceConfirmPage = DeviceForm & {
  system: SystemLook
  /** The code as the device displays it. */
  code: string
  /** From where the device requested the code. `requestedAt`: in seconds since 1970. */
  device: { ip?: string; userAgent?: string; requestedAt?: number }
}

const fact = (label: string, value: Content): Html => html`<div><dt>${label}</dt><dd>${value}</dd></div>\n`

/** Warns against codes sent by other people (remote phishing, RFC 8628 section 5.4). */
export function deviceConfirmPage({ locale, action, xsrf, system, code, device }: DeviceConfirmPage): string {
  const texts = textsOf(locale)
  const { ip, userAgent, requestedAt } = device
  const time = new Intl.DateTimeFormat(LANGUAGE_TAGS[locale], {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  return layout({
    locale,
    system,
    heading: texts.deviceConfirmTitle,
    names: { system: system.name },
    lead: texts.deviceConfirmLead,
    body: html`<p class="device-code" id="device-code">${code}</p>
<dl class="details claims" id="device-origin">
${ip && fact(texts.deviceAddress, bdi(ip))}${userAgent && fact(texts.deviceProgram, bdi(userAgent))}${
  requestedAt !== undefined && fact(texts.deviceTime, `${time.format(requestedAt * 1_000)} UTC`)
}</dl>
<p>${texts.deviceConfirmWarning}</p>
<form method="post" action="${action}">
<input type="hidden" name="xsrf" value="${xsrf}">
<input type="hidden" name="user_code" value="${code}">
<div class="actions pair">
<button type="submit" id="submit" name="confirm" value="yes">${texts.continue}</button>
<button type="submit" id="abort" class="quiet" name="abort" value="yes">${texts.cancel}</button>
</div>
</form>`,
  })
}
