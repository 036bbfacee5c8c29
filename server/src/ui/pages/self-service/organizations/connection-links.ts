/** The members that a connection of an organization knows. */

import { textsOf } from '../../../../texts/texts.ts'
import { csrfField } from '../../../forms.ts'
import { bdi, fill, fillPlain, type Html, html } from '../../../html.ts'
import { icons } from '../../../icons.ts'
import { timeAt } from '../../../times.ts'
import { type AccountPage, framed, initials } from '../frame.ts'
import type { TabbedOrganization } from '../organization-parts.ts'
import { emptyList, joined, panel, row, rowList } from '../rows.ts'
import { ssoAddress } from './connections.ts'
import { pager } from './pager.ts'

type ShownLink = {
  membershipId: string
  email: string
  /** The name. */
  member: string | null
  subject: string
  lastUsedAt: Date | null
}

type LinksPage = AccountPage & {
  organization: TabbedOrganization
  connection: { id: string; name: string; isAbove: boolean }
  links: ShownLink[]
  filters: { page: number }
  hasNext: boolean
}

export function linksPage(page: LinksPage): string {
  const { locale, organization, connection, links, notice, errors } = page
  const texts = textsOf(locale, 'connections')
  const one = `${ssoAddress(organization)}/connections/${connection.id}`
  const at = `${one}/links`
  return framed({
    reader: page,
    at,
    organization,
    crumb: { href: one, text: connection.name },
    heading: texts.links,
    lead: texts.linksLead,
    notice,
    errors,
    body: html`${panel({
      body: html`${
        links.length > 0
          ? rowList(links.map((link) => linkRow(page, at, link)))
          : emptyList(icons.people, texts.linksNone)
      }
${pager(page, at, texts.links)}`,
    })}
${!connection.isAbove && links.length > 0 && all(page, at)}`,
  })
}

function linkRow(page: LinksPage, at: string, link: ShownLink): Html {
  const { locale, organization } = page
  const { membershipId, email, member, subject, lastUsedAt } = link
  const texts = textsOf(locale, 'connections')
  const shown = member ?? email
  return row(
    initials(email, shown, 'round'),
    html`<a href="/account/organizations/${organization.id}/members/${membershipId}">${bdi(shown)}</a>`,
    [
      member !== null && bdi(email),
      joined(
        fill(texts.subjectIs, { subject: bdi(subject) }),
        lastUsedAt && fill(texts.usedOn, { time: timeAt(page, lastUsedAt) }),
      ),
    ],
    !page.connection.isAbove && unlink(page, at, membershipId, shown),
  )
}

function unlink({ locale, csrf }: LinksPage, at: string, membershipId: string, member: string): Html {
  const texts = textsOf(locale, 'connections')
  const label = fillPlain(texts.unlinkOf, { member })
  const hint = `unlink-${membershipId}`
  return html`<details class="unfold"><summary class="button quiet danger"
aria-label="${label}">${texts.unlink}</summary>
<form method="post" action="${at}/unlink">
${csrfField(csrf)}
<p class="hint" id="${hint}">${texts.unlinkLead}</p>
<div class="actions"><button type="submit" class="danger filled" name="member" value="${membershipId}"
aria-describedby="${hint}">${label}</button></div>
</form></details>`
}

const all = ({ locale, csrf }: LinksPage, at: string): Html => {
  const { unlinkAll, unlinkAllLead } = textsOf(locale, 'connections')
  return panel({
    id: 'do-unlink-all',
    title: unlinkAll,
    hint: unlinkAllLead,
    action: html`<details class="unfold"><summary class="button quiet danger">${unlinkAll}</summary>
<form method="post" action="${at}/unlink-all">
${csrfField(csrf)}
<button type="submit" id="unlink-all" class="danger filled"
aria-describedby="do-unlink-all-hint">${unlinkAll}</button>
</form>
</details>`,
  })
}
