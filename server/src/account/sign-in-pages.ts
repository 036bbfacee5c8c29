/** The pages of the pages' own sign-in. */
import { bdi, fill, html } from '../interaction/pages/html.ts'
import { icons } from '../interaction/pages/icons.ts'
import { csrfField, errorSummary, field, layout } from '../interaction/pages/layout.ts'
import { codeField } from '../interaction/pages/mailed-code.ts'
import { passkeyForm } from '../interaction/pages/passkey.ts'
import { type Locale, textsOf } from '../interaction/texts.ts'
import { type Faults, textField } from './frame.ts'
import { ownTexts } from './texts.ts'

type Page = { locale: Locale; csrf: string; next: string; errors: Faults }

const hidden = (csrf: string, next: string) => html`${csrfField(csrf)}
<input type="hidden" name="next" value="${next}">`

/** `known`: the address of who is signed in and has to prove it again. */
export function signInPage({
  locale,
  csrf,
  next,
  known,
  email,
  errors,
}: Page & { known: string | undefined; email: string }): string {
  const [texts, own] = [textsOf(locale), ownTexts(locale)]
  const labels = { email: texts.email, password: texts.password }
  const faulty = (['email', 'password'] as const).filter((id) => errors[id]).map((id) => ({ id, label: labels[id] }))
  const address = known
    ? html`<input name="email" type="text" autocomplete="username" value="${known}" hidden>`
    : textField({ id: 'email', label: labels.email, type: 'email', value: email, autocomplete: 'username', max: 254 }, errors)
  return layout({
    locale,
    icon: icons.person,
    heading: known ? own.againTitle : own.signInTitle,
    lead: known && fill(own.againLead, { email: bdi(known) }),
    faulty: Boolean(errors.form) || faulty.length > 0,
    body: html`${errorSummary(locale, errors.form, faulty)}
<form method="post" action="/account/login">
${hidden(csrf, next)}
${address}
${textField({ id: 'password', label: labels.password, type: 'password', autocomplete: 'current-password' }, errors)}
<div class="actions"><button type="submit" id="submit">${texts.signIn}</button></div>
</form>
${known && html`<nav class="elsewhere"><a href="/session/end" id="sign-out">${own.signOut}</a></nav>`}`,
  })
}

type FactorPage = Page & { totp: boolean; recoveryCodes: boolean; passkey: object | undefined }

export function ownFactorPage({ locale, csrf, next, totp, recoveryCodes, passkey, errors }: FactorPage): string {
  const texts = textsOf(locale)
  const action = '/account/second-factor'
  return layout({
    locale,
    icon: icons.key,
    heading: texts.factorTitle,
    lead: totp ? (passkey ? texts.factorLeadEither : texts.factorLeadApp) : texts.factorLeadPasskey,
    faulty: Boolean(errors.form ?? errors.code ?? errors.recoveryCode),
    script: Boolean(passkey),
    body: html`${errorSummary(locale, errors.form)}
${passkey && passkeyForm({ action, csrf, options: passkey, use: 'get', label: texts.passkeyUse, fault: texts.passkeyNone })}
${passkey && !totp && html`<p class="scriptless">${texts.passkeyScript}</p>`}
${totp && passkey && html`<p class="or scripted">${texts.or}</p>`}
${
  totp &&
  html`<form method="post" action="${action}">
${hidden(csrf, next)}
${codeField(texts.factorCode, errors.code, errors.form, !errors.recoveryCode)}
<div class="actions"><button type="submit" id="submit"${passkey && html` class="quiet"`}>${texts.continue}</button></div>
</form>`
}
${
  recoveryCodes &&
  html`<details class="more"${errors.recoveryCode && html` open`}>
<summary>${texts.recoveryUse}</summary>
<form method="post" action="${action}">
${hidden(csrf, next)}
${field({
  id: 'recoveryCode',
  label: texts.recoveryCode,
  error: errors.recoveryCode,
  describedBy: 'recovery-hint',
  input: (more) =>
    html`<input id="recoveryCode" name="recoveryCode" class="device-code" type="text" autocomplete="off" spellcheck="false" maxlength="40" required${more}><p class="hint" id="recovery-hint">${texts.recoveryHint}</p>`,
})}
<div class="actions"><button type="submit" id="recover" class="quiet">${texts.continue}</button></div>
</form>
</details>`
}
<nav class="elsewhere"><a href="/session/end" id="sign-out">${ownTexts(locale).signOut}</a></nav>`,
  })
}
