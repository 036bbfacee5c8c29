/** The settings of an organization, for its admins. */
import type { FastifyReply } from 'fastify'
import { reachOf } from '../../http/authority.ts'
import { changeAccount } from '../../lifecycle/change-account.ts'
import { lockAccount } from '../../resources/accounts/queries.ts'
import { countWithoutFactor } from '../../resources/memberships/factors.ts'
import { textsOf } from '../../texts/texts.ts'
import type { Faults } from '../../ui/pages/self-service/frame.ts'
import { settingsPage } from '../../ui/pages/self-service/organizations/settings.ts'
import { noticeOf, sendPage, showAt } from '../signed-in.ts'
import { bodyOf, typedName } from './options.ts'
import {
  type OrganizationVisit,
  organizationForm,
  organizationPage,
  pathOf,
  refusalOfChange,
  sentenceOf,
} from './visit.ts'

export const SETTINGS_PATH = '/settings'

export const showSettings = organizationPage(SETTINGS_PATH, 'admin', (visit) => show(visit))

type Shown = { status?: number; errors?: Faults; typed?: string }

export const show = (visit: OrganizationVisit, shown: Shown = {}) =>
  showAt(visit, pathOf(visit, SETTINGS_PATH), shown, (state) => draw(visit, state))

async function draw(visit: OrganizationVisit, { status, errors, typed }: Shown): Promise<FastifyReply> {
  const { parts, organization, reader, csrf } = visit
  const withoutFactor = await countWithoutFactor(parts.db, organization.id)
  const page = { ...reader, csrf, organization, withoutFactor, notice: noticeOf(visit), errors, typed }
  return sendPage(visit, settingsPage(page), status)
}

const FLAGS = ['membersVisible', 'acceptOtherAddress', 'requireMfa'] as const
type Flag = (typeof FLAGS)[number]

/** What differs from what the page has shown: somebody else may have changed the rest. */
function changesIn(given: unknown): Partial<Record<Flag, boolean> & { name: unknown }> {
  const body = (given ?? {}) as Record<string, unknown>
  const isOn = (flag: Flag) => body[flag] === 'yes'
  const isSent = (flag: Flag) => flag !== 'requireMfa' || body.requireMfaBefore !== undefined
  const changed = FLAGS.filter(
    (flag) => isSent(flag) && body[`${flag}Before`] !== (isOn(flag) ? 'yes' : 'no'),
  )
  return {
    ...Object.fromEntries(changed.map((flag) => [flag, isOn(flag)])),
    ...(body.name !== body.nameBefore && { name: body.name }),
  }
}

const CHANGE = {
  operation: 'PATCH /admin/accounts/:accountId',
  body: ({ request }: OrganizationVisit) => changesIn(request.body),
} as const

export const submitSettings = organizationForm(SETTINGS_PATH, 'admin', CHANGE, async (visit) => {
  const { organization, request, locale, reply } = visit
  const { typed, name } = typedName(visit)
  if (name === undefined)
    return show(visit, { status: 400, typed, errors: { name: textsOf(locale, 'organization').nameWrong } })
  const { name: _, ...flags } = changesIn(request.body)
  const patch = { ...flags, ...(name !== bodyOf(visit).nameBefore && { name }) }
  const refusal = await refusalOfChange(visit, async (tx, caller) =>
    changeAccount(tx, caller, await lockAccount(tx, reachOf(caller), organization.id), patch),
  )
  if (refusal) return show(visit, { status: refusal.status, errors: { form: sentenceOf(visit, refusal) } })
  return reply.redirect(`${pathOf(visit, SETTINGS_PATH)}?done=saved`, 303)
})
