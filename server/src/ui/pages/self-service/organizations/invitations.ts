/** The invitations of an organization: a form to invite, and the list. */

import type { KeyOf } from '../../../../texts/message.ts'
import { type Catalog, textsOf } from '../../../../texts/texts.ts'
import { csrfField, field } from '../../../forms.ts'
import { bdi, type Content, fill, fillPlain, type Html, html } from '../../../html.ts'
import { icons } from '../../../icons.ts'
import { timeAt } from '../../../times.ts'
import { type AccountPage, framed, initials } from '../frame.ts'
import type { TabbedOrganization } from '../organization-parts.ts'
import { badge, emptyList, joined, namesOf, panel, panelForm, row, rowButton, rowList } from '../rows.ts'
import { choices, type MemberOption } from './choices.ts'
import { pager } from './pager.ts'

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
    row(initials(email, email, 'round'), bdi(email), [html`<span class="fault">${reason}</span>`])
  return framed({
    reader: page,
    at,
    organization,
    heading: texts.invitations,
    notice,
    errors,
    labels: { emails: texts.emails, message: texts.message },
    body: html`${refused.length > 0 && panel({ body: rowList(refused.map(refusal)) })}
${inviteForm(page, at)}
${panel({
  id: 'all',
  title: texts.allInvitations,
  body: html`${invitations.length > 0 ? list(page, at) : emptyList(icons.envelope, texts.noInvitations)}
${pager(page, at, texts.invitations)}`,
})}`,
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
  return panel({
    id: 'invite',
    title: texts.inviteTitle,
    body: panelForm({
      action: at,
      csrf,
      body: html`${area('emails', emails, fill(texts.emailsHint, { max }), html` rows="3" autocapitalize="none" spellcheck="false" autocomplete="off" required`)}
${
  roles.length + profiles.length > 0 &&
  html`<div class="columns">${choices(locale, 'roles', roles)}
${choices(locale, 'profiles', profiles)}</div>
`
}${area('message', message, html`${texts.messageHint}`, html` rows="2" maxlength="500"`)}`,
      foot: [html`<button type="submit" id="submit">${texts.sendInvitations}</button>`],
    }),
  })
}

const TONES = { pending: 'wait', accepted: '', declined: '', revoked: '', expired: '' } as const

function list(page: InvitationsPage, at: string): Html {
  const { locale, csrf, invitations } = page
  const texts = textsOf(locale, 'organization')
  const item = ({ id, email, status, expiresAt, roles }: Invitation) => {
    const isPending = status === 'pending'
    const details: Content = joined(
      roles.length > 0 && namesOf(locale, roles),
      isPending && fill(texts.expires, { date: timeAt(page, expiresAt, 'date') }),
    )
    const resend = { name: 'resend', text: texts.resend, of: fillPlain(texts.resendTo, { email }) }
    const revoke = { name: 'revoke', text: texts.revoke, of: fillPlain(texts.revokeOf, { email }) }
    const actions =
      isPending &&
      html`<span class="acts">${rowButton({ ...resend, value: id })}${rowButton({ ...revoke, value: id, isDangerous: true })}</span>`
    return row(
      initials(email, email, 'round'),
      html`${bdi(email)}${badge(texts[STATUS[status]], TONES[status])}`,
      [details],
      actions,
    )
  }
  return html`<form method="post" action="${at}/change">
${csrfField(csrf)}
${rowList(invitations.map(item))}
</form>`
}
