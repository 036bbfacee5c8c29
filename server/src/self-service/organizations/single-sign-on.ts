/** Single sign-on of an organization, for its admins: its connections and its domains. */
import type { FastifyReply } from 'fastify'
import { oneLine } from '../../authentication/registration-input.ts'
import { Failure } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { isUuid } from '../../http/uuid.ts'
import { listConnections } from '../../resources/connections/queries.ts'
import { addDomain, changeDomain, removeDomain, requestCheck } from '../../resources/domains/changes.ts'
import { listDomains, lockDomain } from '../../resources/domains/queries.ts'
import { recordOf } from '../../resources/domains/record.ts'
import { type Catalog, textsOf } from '../../texts/texts.ts'
import type { Faults } from '../../ui/pages/self-service/frame.ts'
import { singleSignOnPage } from '../../ui/pages/self-service/organizations/single-sign-on.ts'
import { sendPage, showAt } from '../signed-in.ts'
import { shownConnection } from './connections.ts'
import { SSO_PATH, ssoForm, ssoPage } from './sso-visit.ts'
import { type OrganizationVisit, pathOf, refusalOfChange, sentenceOf } from './visit.ts'

export const showSingleSignOn = ssoPage('', (visit) => show(visit))

type Shown = { status?: number; errors?: Faults; typed?: { name: string; subdomains: boolean } }

const show = (visit: OrganizationVisit, shown: Shown = {}) =>
  showAt(visit, pathOf(visit, SSO_PATH), shown, (state) => draw(visit, state))

type Done = Extract<keyof Catalog['singleSignOn'], `${string}Done`>
const DONE: Done[] = ['addedDone', 'changedDone', 'removedDone', 'checkDone', 'disconnectedDone']

async function draw(visit: OrganizationVisit, { status, errors, typed }: Shown): Promise<FastifyReply> {
  const { parts, organization, request, reader, csrf, locale } = visit
  const [connections, domains] = await Promise.all([
    listConnections(parts.db, organization.id),
    listDomains(parts.db, organization.id),
  ])
  const done = DONE.find((key) => key === (request.query as { done?: unknown }).done)
  const html = singleSignOnPage({
    ...reader,
    csrf,
    organization,
    connections: connections.map(shownConnection),
    domains: domains.map((domain) => ({
      ...domain,
      record: recordOf(domain),
      isAbove: domain.setBy !== 'account',
    })),
    typed: typed ?? { name: '', subdomains: false },
    notice: done && textsOf(locale, 'singleSignOn')[done],
    errors,
  })
  return sendPage(visit, html, status)
}

const bodyOf = ({ request }: OrganizationVisit) => (request.body ?? {}) as Record<string, unknown>

/** The domain that a button names. Throws `domain_not_found`. */
function keyOf(visit: OrganizationVisit, id: unknown) {
  if (!isUuid(id)) throw new Failure('domain_not_found')
  return { accountId: visit.organization.id, id: id.toLowerCase() }
}

function sentence(visit: OrganizationVisit, failure: Failure): string {
  const texts = textsOf(visit.locale, 'singleSignOn')
  if (failure.code === 'too_many_requests') return texts.tooMany
  return sentenceOf(visit, failure)
}

const back = (visit: OrganizationVisit, done: Done) =>
  visit.reply.redirect(`${pathOf(visit, SSO_PATH)}?done=${done}`, 303)

const refused = (visit: OrganizationVisit, failure: Failure) =>
  show(visit, { status: failure.status, errors: { form: sentence(visit, failure) } })

const AT = '/admin/accounts/:accountId/domains' as const

export const submitDomain = ssoForm('', { operation: `POST ${AT}` }, async (visit) => {
  const { parts, organization, locale } = visit
  const texts = textsOf(locale, 'singleSignOn')
  const { name, subdomains } = bodyOf(visit)
  const typed = { name: typeof name === 'string' ? oneLine(name) : '', subdomains: subdomains === 'yes' }
  const failure = await refusalOfChange(visit, (tx, caller) =>
    addDomain(tx, parts.config, caller, organization.id, typed),
  )
  if (!failure) return back(visit, 'addedDone')
  const of = { invalid_request: texts.nameWrong, domain_exists: texts.nameTaken }[failure.code as string]
  if (of) return show(visit, { status: failure.status, typed, errors: { name: of } })
  return show(visit, { status: failure.status, typed, errors: { form: sentence(visit, failure) } })
})

export const submitSubdomains = ssoForm(
  '/subdomains',
  { operation: `PATCH ${AT}/:domainId`, body: () => ({ subdomains: true }) },
  async (visit) => {
    const { domain, subdomains } = bodyOf(visit)
    const key = keyOf(visit, domain)
    const failure = await refusalOfChange(visit, async (tx, caller) =>
      changeDomain(tx, caller, await lockDomain(tx, reachOf(caller), key), {
        subdomains: subdomains === 'yes',
      }),
    )
    return failure ? refused(visit, failure) : back(visit, 'changedDone')
  },
)

export const submitRemoveDomain = ssoForm(
  '/remove',
  { operation: `DELETE ${AT}/:domainId` },
  async (visit) => {
    const key = keyOf(visit, bodyOf(visit).domain)
    const failure = await refusalOfChange(visit, (tx, caller) => removeDomain(tx, caller, key))
    return failure ? refused(visit, failure) : back(visit, 'removedDone')
  },
)

export const submitCheck = ssoForm('/check', { operation: `POST ${AT}/:domainId/check` }, async (visit) => {
  const key = keyOf(visit, bodyOf(visit).check)
  const failure = await refusalOfChange(visit, (tx, caller) =>
    requestCheck(tx, visit.parts.seal, caller, key),
  )
  return failure ? refused(visit, failure) : back(visit, 'checkDone')
})
