import { textsOf } from '../../../texts/texts.ts'
import { bdi, fill, html } from '../../html.ts'
import { framed, type PageReader } from './frame.ts'
import { panel, panelForm } from './rows.ts'

type LinkPage = PageReader & {
  csrf: string
  user: { email: string }
  /** Its display name. */
  provider: string
  /** The user at the provider. */
  identity: { email: string | null; name: string | null }
  action: string
  cancel: string
}

/** Confirms the identity before it is linked: another user may have been signed in at the provider. */
export function linkPage(page: LinkPage): string {
  const { locale, csrf, user, provider, identity, action, cancel } = page
  const texts = textsOf(locale, 'profile')
  const who = identity.email ?? identity.name
  const names = { provider: bdi(provider), email: bdi(user.email), person: who && bdi(who) }
  return framed({
    reader: page,
    at: '/account/security',
    crumb: { href: cancel, text: texts.securityTitle },
    heading: texts.linkTitle,
    body: panel({
      body: panelForm({
        action: action,
        csrf,
        body: html`<p>${fill(who ? texts.linkLead : texts.linkLeadNameless, names)}</p>`,
        foot: [
          html`<a class="button quiet" href="${cancel}" id="cancel">${texts.linkNot}</a>`,
          html`<button type="submit" id="submit"><span>${fill(texts.link, { provider: bdi(provider) })}</span></button>`,
        ],
      }),
    }),
  })
}
