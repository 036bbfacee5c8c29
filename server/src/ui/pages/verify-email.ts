import { bdi, fill, html } from '../html.ts'
import { type Locale, textsOf } from '../i18n/texts.ts'
import { icons } from '../icons.ts'
import { layout } from '../layout.ts'

export type VerifyPage = {
  locale: Locale
  action: string
  token: string
  email: string
  /** Where somebody registered with the address. Whoever confirms that hands them the account. */
  registeredAt?: string | undefined
}

/** One button: whatever opens the link for the person, such as a scanner of mail, presses none. */
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

/** The same for both addresses: whoever has the new one by mistake does not learn the other. */
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
