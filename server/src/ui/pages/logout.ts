import { type Locale, textsOf } from '../../texts/texts.ts'
import { html } from '../html.ts'
import { icons } from '../icons.ts'
import { headed, layout, type SystemLook } from '../layout.ts'

export type LogoutPage = {
  locale: Locale
  system?: SystemLook | undefined
  /** The endpoint of oidc-provider and its CSRF token. */
  action: string
  xsrf: string
}

/** Both buttons submit the form; the field `logout` ends the session (field names of oidc-provider). */
export function logoutPage({ locale, system, action, xsrf }: LogoutPage): string {
  const texts = textsOf(locale)
  return layout({
    locale,
    system,
    icon: icons.door,
    ...(system ? headed(texts.logoutTitleOf, { system: system.name }) : headed(texts.logoutTitle, {})),
    lead: texts.logoutLead,
    body: html`<form method="post" action="${action}">
<input type="hidden" name="xsrf" value="${xsrf}">
<div class="actions pair">
<button type="submit" id="logout-confirm" name="logout" value="yes">${texts.signOut}</button>
<button type="submit" id="logout-cancel" class="quiet">${texts.staySignedIn}</button>
</div>
</form>`,
  })
}
