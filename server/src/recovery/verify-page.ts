import { bdi, fill, html } from '../interaction/pages/html.ts'
import { icons } from '../interaction/pages/icons.ts'
import { layout } from '../interaction/pages/layout.ts'
import { type Locale, textsOf } from '../interaction/texts.ts'

export type VerifyPage = { locale: Locale; action: string; token: string; email: string }

/** One button: whatever opens the link for the person, such as a scanner of mail, presses none. */
export function verifyPage({ locale, action, token, email }: VerifyPage): string {
  const texts = textsOf(locale)
  return layout({
    locale,
    icon: icons.envelope,
    heading: texts.verifyTitle,
    lead: fill(texts.verifyLead, { email: bdi(email) }),
    body: html`<form method="post" action="${action}">
<input type="hidden" name="token" value="${token}">
<div class="actions"><button type="submit" id="submit">${texts.verify}</button></div>
</form>`,
  })
}
