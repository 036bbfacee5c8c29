/** The invitations of an organization: a form to invite, and the list. */

import type { KeyOf } from '../../../../texts/message.ts'
import { type Catalog, LANGUAGE_TAGS, textsOf } from '../../../../texts/texts.ts'
import { csrfField, field } from '../../../forms.ts'
import { bdi, type Content, fill, fillPlain, type Html, html } from '../../../html.ts'
import { icons } from '../../../icons.ts'
import { type AccountPage, framed } from '../frame.ts'
import { badge, namesOf, row, rowButton } from '../rows.ts'
import { choices, type MemberOption } from './choices.ts'
import { pager } from './pager.ts'
import { organizationTabs, type TabbedOrganization } from './tabs.ts'

type Invitation = {
  id: string
  email: string
  status: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired'
  expiresAt: Date
  /** Names. */
  roles: string[]
}

export type InvitationsPage = AccountPage & {
  organization: TabbedOrganization
  invitations: Invitation[]
  filters: { page: number }
  hasNext: boolean
  /** The number of addresses at once. */
  max: number
  /** The addresses as they were entered before. */
  emails: string
  message: string
  roles: MemberOption[]
  profiles: MemberOption[]
  /** Addresses that were not invited. */
  refused: { email: string; reason: string }[]
}

const STATUS: Record<Invitation['status'], KeyOf<Catalog['organization']>> = {
  pending: 'isWaiting',
  accepted: 'isAccepted',
  declined: 'isDeclined',
  revoked: 'isRevoked',
  expired: 'isExpired',
}

export function invitationsPage(page: InvitationsPage): string {
  const { locale, organization, invitations, refused, notice, errors } = page
  const texts = textsOf(locale, 'organization')
  const at = `/account/organizations/${organization.id}/invitations`
  const refusal = ({ email, reason }: InvitationsPage['refused'][number]) =>
    html`<li>${bdi(email)}<small>${reason}</small></li>\n`
  return framed({
    locale,
    at,
    icon: icons.envelope,
    heading: texts.invitationsTitle,
    names: { account: organization.name },
    tabs: organizationTabs(locale, organization, '/invitations'),
    notice,
    errors,
    labels: { emails: texts.emails, message: texts.message },
    body: html`${refused.length > 0 && html`<ul class="refused">\n${refused.map(refusal)}</ul>`}
${inviteForm(page, at)}
<section aria-labelledby="all">
<h2 id="all">${texts.invitations}</h2>
${invitations.length > 0 ? list(page, at) : html`<p>${texts.noInvitations}</p>`}
${pager(page, at, texts.invitations)}
</section>`,
  })
}

function inviteForm(page: InvitationsPage, at: string): Html {
  const { locale, csrf, max, emails, message, roles, profiles, errors = {} } = page
  const texts = textsOf(locale, 'organization')
  const area = (id: 'emails' | 'message', value: string, hint: Html, more: Html): Html =>
    field({
      id,
      label: texts[id],
      error: errors[id],
      hint,
      input: (described) =>
        html`<textarea id="${id}" name="${id}"${errors[id] && html` autofocus`}${more}${described}>\n${value}</textarea>`,
    })
  return html`<section aria-labelledby="invite">
<h2 id="invite">${texts.inviteTitle}</h2>
<form method="post" action="${at}">
${csrfField(csrf)}
${area('emails', emails, fill(texts.emailsHint, { max }), html` rows="4" autocapitalize="none" spellcheck="false" autocomplete="off" required`)}
${choices(locale, 'roles', roles)}
${choices(locale, 'profiles', profiles)}
${area('message', message, html`${texts.messageHint}`, html` rows="2" maxlength="500"`)}
<div class="actions"><button type="submit" id="submit">${texts.sendInvitations}</button></div>
</form>
</section>`
}

function list({ locale, csrf, invitations }: InvitationsPage, at: string): Html {
  const texts = textsOf(locale, 'organization')
  const date = new Intl.DateTimeFormat(LANGUAGE_TAGS[locale], { dateStyle: 'long', timeZone: 'UTC' })
  const item = ({ id, email, status, expiresAt, roles }: Invitation) => {
    const isPending = status === 'pending'
    const details: Content[] = [
      roles.length > 0 && namesOf(locale, roles),
      isPending && fill(texts.expires, { date: date.format(expiresAt) }),
    ]
    const actions =
      isPending &&
      html`<span class="acts">${rowButton('resend', id, texts.resend, fillPlain(texts.resendTo, { email }))}${rowButton('revoke', id, texts.revoke, fillPlain(texts.revokeOf, { email }))}</span>`
    return row(html`${bdi(email)}${badge(texts[STATUS[status]])}`, details, actions)
  }
  return html`<form method="post" action="${at}/change">
${csrfField(csrf)}
<ul class="scopes">
${invitations.map(item)}</ul>
</form>`
}
