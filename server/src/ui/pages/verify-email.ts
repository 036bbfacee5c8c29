import { bdi, fill, html } from '../html.ts'
import { type Locale, textsOf } from '../i18n/texts.ts'
import { icons } from '../icons.ts'
import { layout } from '../layout.ts'

export type VerifyPage = {
  locale: Locale
  action: string
  token: string
  email: string
  /**
   * Name of the system at which the address was registered. Confirming gives the account to the person who
   * registered it.
   */
  registeredAt?: string | undefined
}

/** Requires a click, because email scanners open links automatically. */
export function verifyPage({ locale, action, token, email, registeredAt }: VerifyPage): string {
  const texts = textsOf(locale)
  const registered = registeredAt !== undefined
  return layout({
    locale,
    icon: icons.envelope,
    heading: registered ? texts.verifyAccountTitle : texts.verifyTitle,
    lead: fill(registered ? texts.verifyAccountLead : texts.verifyLead, {
      email: bdi(email),
      system: bdi(registeredAt ?? ''),
    }),
    body: html`<form method="post" action="${action}">
<input type="hidden" name="token" value="${token}">
<div class="actions"><button type="submit" id="submit">${registered ? texts.verifyAccount : texts.verify}</button></div>
</form>`,
  })
}

/** The same page for both addresses; it does not disclose the other one. */
export function changePage({ locale, action, token, email }: Omit<VerifyPage, 'registeredAt'>): string {
  const texts = textsOf(locale)
  return layout({
    locale,
    icon: icons.envelope,
    heading: texts.changeEmailTitle,
    lead: fill(texts.changeEmailLead, { email: bdi(email) }),
    body: html`<form method="post" action="${action}">
<input type="hidden" name="token" value="${token}">
<div class="actions"><button type="submit" id="submit">${texts.changeEmail}</button></div>
</form>`,
  })
}
