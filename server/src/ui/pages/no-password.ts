/** /account asks a user for a sign-in who has neither a password nor a passkey that is valid there. */

import { type Locale, textsOf } from '../../texts/texts.ts'
import { csrfField, type ProviderButton, providerButtons } from '../forms.ts'
import { bdi, fill, html } from '../html.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'

export type NoPasswordPage = {
  locale: Locale
  system: SystemLook
  email: string
  /** The form that emails a link for a new password. */
  action: string
  csrf: string
  /** The identity providers that are linked to the user. */
  providers: readonly ProviderButton[]
  /** The sign-in of another user. */
  another: string
}

export function noPasswordPage({
  locale,
  system,
  email,
  action,
  csrf,
  providers,
  another,
}: NoPasswordPage): string {
  const texts = textsOf(locale)
  const isLinked = providers.length > 0
  return layout({
    locale,
    system,
    icon: icons.envelope,
    heading: isLinked ? texts.againTitle : texts.noPasswordTitle,
    lead: fill(isLinked ? texts.againLead : texts.noPasswordLead, { email: bdi(email) }),
    body: html`${
      isLinked &&
      html`${providerButtons(providers, texts.continueWith)}
<p class="or">${texts.or}</p>`
    }
<form method="post" action="${action}">
${csrfField(csrf)}
<input type="hidden" name="email" value="${email}">
<div class="actions"><button type="submit" id="set-password"${isLinked && html` class="quiet"`}>${texts.sendPasswordLink}</button></div>
</form>
<nav class="elsewhere"><a href="${another}" id="another">${texts.anotherUser}</a></nav>`,
  })
}
