/** The invitations of an organization, for its admins. Links are only in the emails, never on these pages. */
import type { FastifyReply } from 'fastify'
import type { Failure } from '../../errors.ts'
import { isUuid } from '../../http/uuid.ts'
import { inviteEach, type Result } from '../../resources/invitations/batch.ts'
import { invite, lockOrganization, revokeInvitation, sendAgain } from '../../resources/invitations/invite.ts'
import { listInvitations } from '../../resources/invitations/queries.ts'
import { listRoles } from '../../resources/roles/queries.ts'
import type { KeyOf } from '../../texts/message.ts'
import { type Catalog, textsOf } from '../../texts/texts.ts'
import { fillPlain } from '../../ui/html.ts'
import type { Faults } from '../../ui/pages/self-service/frame.ts'
import {
  type InvitationsPage,
  invitationsPage,
} from '../../ui/pages/self-service/organizations/invitations.ts'
import { sendPage, showAt } from '../signed-in.ts'
import { idsOf, optionsOf } from './options.ts'
import { PAGE_SIZE, pageNumberOf } from './paging.ts'
import { listProfileNames } from './queries.ts'
import {
  changeAsAdmin,
  countChanges,
  demandAdminStill,
  doneOf,
  type OrganizationVisit,
  organizationForm,
  organizationPage,
  pathOf,
  refusalOfChange,
  sentenceOf,
} from './visit.ts'

const PATH = '/invitations'
/** The admin API has the same limit (resources/invitations/schemas.ts). */
const ADDRESSES_MAX = 100
const MESSAGE_MAX = 500

/** What an admin has entered. */
type Entered = { emails: string; message: string; roles: string[]; profiles: string[] }

type Shown = { status?: number; entered?: Entered; errors?: Faults; refused?: InvitationsPage['refused'] }

export const showInvitations = organizationPage(PATH, 'admin', (visit) => show(visit))

const show = (visit: OrganizationVisit, shown: Shown = {}) =>
  showAt(visit, pathOf(visit, PATH), shown, (state) => draw(visit, state))

async function draw(visit: OrganizationVisit, shown: Shown): Promise<FastifyReply> {
  const { parts, organization, request, reader, csrf } = visit
  const { db } = parts
  const { id: accountId, systemId } = organization
  const page = pageNumberOf(request.query)
  const [{ rows, total }, roles, profiles] = await Promise.all([
    listInvitations(db, { accountId, page, pageSize: PAGE_SIZE }),
    listRoles(db, systemId),
    listProfileNames(db, systemId),
  ])
  const { entered } = shown
  const roleNames = new Map(roles.map(({ id, name }) => [id, name]))
  const html = invitationsPage({
    ...reader,
    csrf,
    organization,
    invitations: rows.map(({ id, email, status, expiresAt, roles: ids }) => ({
      id,
      email,
      status,
      expiresAt,
      roles: ids.flatMap((role) => roleNames.get(role) ?? []).sort(),
    })),
    filters: { page },
    hasNext: page * PAGE_SIZE < total,
    max: ADDRESSES_MAX,
    emails: entered?.emails ?? '',
    message: entered?.message ?? '',
    roles: optionsOf(roles, []).map((role) => ({
      ...role,
      isHeld: entered?.roles.includes(role.id) ?? false,
    })),
    profiles: optionsOf(profiles, entered?.profiles ?? []),
    refused: shown.refused ?? [],
    errors: shown.errors,
    notice: doneOf(visit, ['sentDone', 'resentDone', 'revokedDone']),
  })
  return sendPage(visit, html, shown.status)
}

function read({ request }: OrganizationVisit): Entered {
  const { emails, message, roles, profiles } = (request.body ?? {}) as Record<string, unknown>
  const text = (value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\r\n', '\n').replaceAll('\0', '').trim() : ''
  return { emails: text(emails), message: text(message), roles: idsOf(roles), profiles: idsOf(profiles) }
}

/** Addresses are separated by lines, spaces, commas or semicolons; each once. */
const addressesIn = ({ emails }: Entered): string[] => [
  ...new Set(emails.split(/[\s,;]+/).filter((each) => each !== '')),
]

const INVITE = {
  operation: 'POST /admin/accounts/:accountId/invitations',
  body: read,
} as const

export const submitInvitations = organizationForm(PATH, 'admin', INVITE, async (visit) => {
  const { parts, organization, locale, reply } = visit
  const texts = textsOf(locale, 'organization')
  const entered = read(visit)
  const { message, roles, profiles } = entered
  const addresses = addressesIn(entered)
  const max = { max: String(ADDRESSES_MAX) }
  const errors: Faults = {}
  if (addresses.length === 0) errors.emails = texts.emailsMissing
  if (addresses.length > ADDRESSES_MAX) errors.emails = fillPlain(texts.emailsTooMany, max)
  if (message.length > MESSAGE_MAX) errors.message = texts.messageLong
  if (Object.keys(errors).length > 0) return show(visit, { status: 400, entered, errors })
  const wanted = addresses.map((email) => ({ email, roles, profiles, ...(message && { message }) }))
  await countChanges(visit, wanted.length)
  const results = await inviteEach(wanted, (one) =>
    changeAsAdmin(visit, async (tx, caller) => {
      const account = await lockOrganization(tx, caller, organization.id)
      await invite(tx, parts, caller, account, one)
    }),
  )
  const refused = results.filter(({ code }) => code !== undefined)
  if (refused.length === 0) return reply.redirect(`${pathOf(visit, PATH)}?done=sentDone`, 303)
  await demandAdminStill(visit) // one of the refusals can be that the user is none
  return show(visit, {
    status: 409,
    entered: { ...entered, emails: refused.map(({ email }) => email).join('\n') },
    ...(refused.some(({ code }) => code === 'links_not_allowed')
      ? { errors: { message: texts.messageLink } }
      : { errors: { form: texts.notInvited }, refused: refused.map((each) => refusedOf(texts, each)) }),
  })
})

const REASONS: Partial<Record<NonNullable<Result<unknown>['code']>, KeyOf<Catalog['organization']>>> = {
  invalid_request: 'reasonInvalid',
  membership_exists: 'reasonMember',
  invitation_exists: 'reasonInvited',
  too_many_requests: 'reasonBusy',
  limit_reached: 'limit',
}

const refusedOf = (texts: Catalog['organization'], { email, code }: Result<unknown>) => ({
  email,
  reason: texts[(code && REASONS[code]) ?? 'reasonRefused'],
})

/** Sends one invitation again, or revokes it. */
/** A revocation ends a right, and needs no recent sign-in. */
const RESEND = {
  operation: 'POST /admin/accounts/:accountId/invitations/:invitationId/resend',
  params: ({ request }: OrganizationVisit) => ({
    invitationId: ((request.body ?? {}) as { resend?: unknown }).resend,
  }),
} as const

export const submitInvitation = organizationForm(`${PATH}/change`, 'admin', RESEND, async (visit) => {
  const { parts, organization, request, locale, reply } = visit
  const { resend, revoke } = (request.body ?? {}) as { resend?: unknown; revoke?: unknown }
  const id = [resend, revoke].find(isUuid)
  if (id === undefined) return show(visit)
  const key = { accountId: organization.id, id }
  const refusal = await refusalOfChange(visit, async (tx, caller) => {
    await lockOrganization(tx, caller, organization.id)
    if (id === resend) await sendAgain(tx, parts, caller, key)
    else await revokeInvitation(tx, caller, key)
  })
  if (refusal) return show(visit, { status: refusal.status, errors: { form: sentenceOfMail(refusal) } })
  return reply.redirect(`${pathOf(visit, PATH)}?done=${id === resend ? 'resentDone' : 'revokedDone'}`, 303)

  function sentenceOfMail(failure: Failure): string {
    const isBusy = failure.code === 'too_many_requests'
    return isBusy ? textsOf(locale, 'organization').busy : sentenceOf(visit, failure)
  }
})
