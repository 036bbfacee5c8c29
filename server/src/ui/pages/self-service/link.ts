import { type Locale, textsOf } from '../../../texts/texts.ts'
import { csrfField } from '../../forms.ts'
import { bdi, fill, html } from '../../html.ts'
import { icons } from '../../icons.ts'
import { framed } from './frame.ts'

type LinkPage = {
  locale: Locale
  csrf: string
  user: { email: string }
  /** Its display name. */
  provider: string
  /** The user at the provider. */
  person: { email: string | null; name: string | null }
  action: string
  cancel: string
}

/** Confirms the identity before it is linked: another user may have been signed in at the provider. */
export function linkPage({ locale, csrf, user, provider, person, action, cancel }: LinkPage): string {
  const texts = textsOf(locale, 'profile')
  const who = person.email ?? person.name
  const names = { provider: bdi(provider), email: bdi(user.email), person: who && bdi(who) }
  return framed({
    locale,
    at: '/account/security',
    icon: icons.key,
    heading: texts.linkTitle,
    lead: fill(who ? texts.linkLead : texts.linkLeadNameless, names),
    body: html`<form method="post" action="${action}">
${csrfField(csrf)}
<div class="actions"><button type="submit" id="submit">${fill(texts.link, { provider: bdi(provider) })}</button></div>
</form>
<nav class="elsewhere"><a href="${cancel}" id="cancel">${texts.linkNot}</a></nav>`,
  })
}
