import { type Locale, textsOf } from '../../texts/texts.ts'
import { bdi, fill, html } from '../html.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'

export type VerifyPage = {
  locale: Locale
  system?: SystemLook | undefined
  action: string
  token: string
  email: string
}

/** Requires a click, because email scanners open links automatically. */
export function verifyPage({ locale, system, action, token, email }: VerifyPage): string {
  const texts = textsOf(locale)
  return layout({
    locale,
    system,
    icon: icons.envelope,
    heading: texts.verifyTitle,
    lead: fill(texts.verifyLead, { email: bdi(email) }),
    body: html`<form method="post" action="${action}">
<input type="hidden" name="token" value="${token}">
<div class="actions"><button type="submit" id="submit">${texts.verify}</button></div>
</form>`,
  })
}

/** Both addresses get this page; it does not disclose the other one. */
export function changePage({ locale, system, action, token, email }: VerifyPage): string {
  const texts = textsOf(locale)
  return layout({
    locale,
    system,
    icon: icons.envelope,
    heading: texts.changeEmailTitle,
    lead: fill(texts.changeEmailLead, { email: bdi(email) }),
    body: html`<form method="post" action="${action}">
<input type="hidden" name="token" value="${token}">
<div class="actions"><button type="submit" id="submit">${texts.changeEmail}</button></div>
</form>`,
  })
}
