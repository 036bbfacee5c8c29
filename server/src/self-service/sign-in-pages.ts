/** The pages of the pages' own sign-in. */
import { bdi, fill, type Html, html } from '../ui/html.ts'
import { ownTexts } from '../ui/i18n/self-service/texts.ts'
import { type Locale, textsOf } from '../ui/i18n/texts.ts'
import { icons } from '../ui/icons.ts'
import { csrfField, errorSummary, field, layout } from '../ui/layout.ts'
import { codeField } from '../ui/pages/mailed-code.ts'
import { type Faults, textField } from '../ui/pages/self-service/frame.ts'
import { passkeyForm } from '../ui/passkey.ts'
import { passwordField } from '../ui/password-field.ts'

type Page = { locale: Locale; csrf: string; next: string; errors: Faults }

const hidden = (csrf: string, next: string) => html`${csrfField(csrf)}
<input type="hidden" name="next" value="${next}">`

/** `passkey`: options for the browser. `code`: of who has no password to prove again. */
export type Ways = {
  password: boolean
  passkey: object | undefined
  code?: 'offered' | 'underWay' | undefined
}

type SignInPage = Page & { known: string | undefined; email: string; ways: Ways }

/** `known`: the address of who is signed in and has to prove it again. */
export function signInPage(page: SignInPage): string {
  const { locale, csrf, next, known, errors, ways } = page
  const [texts, own] = [textsOf(locale), ownTexts(locale)]
  const labels = { email: texts.email, password: texts.password, code: texts.code }
  const faulty = (['email', 'password', 'code'] as const)
    .filter((id) => errors[id])
    .map((id) => ({ id, label: labels[id] }))
  const others = ways.password || ways.code
  return layout({
    locale,
    icon: icons.person,
    heading: known ? own.againTitle : own.signInTitle,
    lead: known && fill(own.againLead, { email: bdi(known) }),
    faulty: Boolean(errors.form) || faulty.length > 0,
    body: html`${errorSummary(locale, errors.form, faulty)}
${ways.password && passwordForm(page)}
${ways.code && codeForms(page)}
${
  ways.passkey &&
  passkeyForm({
    action: '/account/passkey',
    csrf,
    options: ways.passkey,
    use: 'get',
    offered: !known,
    quiet: Boolean(others),
    label: known ? texts.passkeyUse : texts.passkeySignIn,
    fault: texts.passkeyNone,
    before: html`<input type="hidden" name="next" value="${next}">${others && html`<p class="or">${texts.or}</p>`}`,
  })
}
${known && html`<nav class="elsewhere"><a href="/session/end" id="sign-out">${own.signOut}</a></nav>`}`,
  })
}

function passwordForm({ locale, csrf, next, known, email, errors, ways }: SignInPage): Html {
  const texts = textsOf(locale)
  const startsAtEmail = !known && (!email || Boolean(errors.email))
  const autocomplete = ways.passkey ? 'username webauthn' : 'username'
  const input = {
    id: 'email',
    label: texts.email,
    type: 'email',
    value: email,
    autocomplete,
    max: 254,
  } as const
  const address = known
    ? html`<input name="email" type="text" autocomplete="username" value="${known}" hidden>`
    : textField({ ...input, focus: startsAtEmail }, errors)
  return html`<form method="post" action="/account/login">
${hidden(csrf, next)}
${address}
${passwordField({
  locale,
  id: 'password',
  label: texts.password,
  kind: 'current',
  error: errors.password,
  describedBy: errors.form && 'form-error',
  focus: !startsAtEmail,
})}
<div class="actions"><button type="submit" id="submit">${texts.signIn}</button></div>
</form>`
}

/** A code is mailed when it is asked for, not when the page is opened. */
function codeForms({ locale, csrf, next, known, errors, ways }: SignInPage): Html {
  const [texts, own] = [textsOf(locale), ownTexts(locale)]
  const underWay = ways.code === 'underWay'
  return html`${
    underWay &&
    html`<form method="post" action="/account/code">
${hidden(csrf, next)}
<p class="hint">${fill(texts.mailedCodeLead, { email: bdi(known ?? '') })}</p>
${codeField(texts.code, errors.code, errors.form)}
<div class="actions"><button type="submit" id="submit">${texts.continue}</button></div>
</form>`
  }
<form method="post" action="/account/code" class="close">
${hidden(csrf, next)}
<input type="hidden" name="resend" value="yes">
<div class="actions"><button type="submit" id="resend"${underWay && html` class="quiet"`}>${underWay ? texts.mailedCodeAgain : own.mailCode}</button></div>
</form>`
}

type FactorPage = Page & { totp: boolean; recoveryCodes: boolean; passkey: object | undefined }

export function ownFactorPage({
  locale,
  csrf,
  next,
  totp,
  recoveryCodes,
  passkey,
  errors,
}: FactorPage): string {
  const texts = textsOf(locale)
  const action = '/account/second-factor'
  return layout({
    locale,
    icon: icons.key,
    heading: texts.factorTitle,
    lead: totp ? (passkey ? texts.factorLeadEither : texts.factorLeadApp) : texts.factorLeadPasskey,
    faulty: Boolean(errors.form ?? errors.code ?? errors.recoveryCode),
    body: html`${errorSummary(locale, errors.form)}
${passkey && passkeyForm({ action, csrf, options: passkey, use: 'get', label: texts.passkeyUse, fault: texts.passkeyNone, before: html`<input type="hidden" name="next" value="${next}">` })}
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
  hint: html`${texts.recoveryHint}`,
  input: (more) =>
    html`<input id="recoveryCode" name="recoveryCode" class="device-code" type="text" autocomplete="off" spellcheck="false" maxlength="40" required${errors.recoveryCode && html` autofocus`}${more}>`,
})}
<div class="actions"><button type="submit" id="recover" class="quiet">${texts.continue}</button></div>
</form>
</details>`
}
<nav class="elsewhere"><a href="/session/end" id="sign-out">${ownTexts(locale).signOut}</a></nav>`,
  })
}
