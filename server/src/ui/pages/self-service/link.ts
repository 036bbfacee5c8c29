import type { Person } from '../../../federation/identity.ts'
import { bdi, fill, html } from '../../html.ts'
import { ownTexts } from '../../i18n/self-service/texts.ts'
import type { Locale } from '../../i18n/texts.ts'
import { icons } from '../../icons.ts'
import { csrfField } from '../../layout.ts'
import { framed } from './frame.ts'

type LinkPage = {
  locale: Locale
  csrf: string
  user: { email: string }
  /** By its name. */
  provider: string
  person: Pick<Person, 'email' | 'name'>
  action: string
  cancel: string
}

/** Who has come back, for the person to say that this is they: the provider may have had somebody else signed in. */
export function linkPage({ locale, csrf, user, provider, person, action, cancel }: LinkPage): string {
  const texts = ownTexts(locale)
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
