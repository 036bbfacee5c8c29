/**
 * One service account of an organization: its name and roles, and new keys.
 *
 * The secret of a key is shown once, by the page to which its form redirects: until then it is in a sealed
 * cookie of this browser, not on the server. The form has a number that is used once, in the transaction that
 * creates the key: a form that is sent twice makes no second key.
 */
import type { FastifyReply } from 'fastify'
import { randomToken } from '../../crypto/seal.ts'
import type { Failure } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { quotaOf } from '../../http/quotas.ts'
import { keepOnce, takeOnce } from '../../http/shown.ts'
import { insertArtifact } from '../../resources/artifacts/queries.ts'
import { listRoles } from '../../resources/roles/queries.ts'
import { changeServiceAccount, createKey } from '../../resources/service-accounts/changes.ts'
import {
  findServiceAccount,
  listServiceAccountKeys,
  lockServiceAccount,
} from '../../resources/service-accounts/queries.ts'
import { textsOf } from '../../texts/texts.ts'
import { fillPlain } from '../../ui/html.ts'
import type { Faults } from '../../ui/pages/self-service/frame.ts'
import { newKeyPage, serviceAccountPage } from '../../ui/pages/self-service/organizations/service-account.ts'
import { sendPage, showAt } from '../signed-in.ts'
import { bodyOf, idsOf, optionsOf, typedName } from './options.ts'
import {
  PATH,
  programForm,
  programPage,
  redirectTo,
  serviceAccountNotice,
  serviceAccountPlace,
} from './service-accounts.ts'
import { type OrganizationVisit, pathOf, reachOfAdmin, refusalOfChange, sentenceOf } from './visit.ts'

const ONE = '/:serviceAccountId'

type Shown = { status?: number; typed?: string; errors?: Faults }

/** The page asks for the recent sign-in before the admin fills in a form. */
export const showServiceAccount = programPage(ONE, (visit) => show(visit), 'recent')

const pageOf = (visit: OrganizationVisit, path = '') =>
  pathOf(visit, `${PATH}/${serviceAccountPlace(visit).id}${path}`)

const show = (visit: OrganizationVisit, shown: Shown = {}) =>
  showAt(visit, pageOf(visit), shown, (state) => draw(visit, state))

async function draw(visit: OrganizationVisit, { status, typed, errors }: Shown): Promise<FastifyReply> {
  const { parts, organization, reader, csrf } = visit
  const place = serviceAccountPlace(visit)
  const [found, keys, roles] = await Promise.all([
    findServiceAccount(parts.db, reachOfAdmin(visit), place),
    listServiceAccountKeys(parts.db, place.accountId, place.id),
    listRoles(parts.db, organization.systemId),
  ])
  const options = optionsOf(roles, found.roles)
  const html = serviceAccountPage({
    ...reader,
    csrf,
    organization,
    serviceAccount: { ...found, keys: keys.get(found.id) ?? [] },
    isReserved: options.some(({ isHeld, isAssignable }) => isHeld && !isAssignable),
    roles: options,
    once: randomToken(),
    typed,
    notice: serviceAccountNotice(visit, 'createdDone', 'savedDone', 'disabledDone', 'enabledDone'),
    errors,
  })
  return sendPage(visit, html, status)
}

/** What differs from what the page has shown changes: somebody else may have changed the rest. */
export const submitServiceAccount = programForm(`${ONE}/edit`, 'recent', async (visit) => {
  const place = serviceAccountPlace(visit)
  const { typed, name } = typedName(visit)
  const { nameBefore, roles, rolesBefore } = bodyOf(visit)
  if (name === undefined)
    return show(visit, {
      status: 400,
      typed,
      errors: { name: textsOf(visit.locale, 'organization').nameWrong },
    })
  const [now, before] = [idsOf(roles), idsOf(rolesBefore)]
  const added = now.filter((id) => !before.includes(id))
  const removed = before.filter((id) => !now.includes(id))
  const refusal = await refusalOfChange(visit, async (tx, caller) => {
    const locked = await lockServiceAccount(tx, reachOf(caller), place)
    const kept = locked.roles.filter((id) => !removed.includes(id))
    await changeServiceAccount(tx, caller, locked, {
      ...(name !== nameBefore && { name }),
      ...(added.length + removed.length > 0 && { roles: [...kept, ...added] }),
    })
  })
  if (refusal) return show(visit, { status: refusal.status, errors: { form: sentenceOf(visit, refusal) } })
  return redirectTo(visit, 'savedDone')
})

/** In seconds, as in the console; 0: until it is revoked. */
const LIFETIMES = [2_592_000, 7_776_000, 31_536_000, 0]
/** `randomToken` */
const ONCE = /^[\w-]{43}$/

/** Its address is that of the page, so that a browser that opens it again shows the service account. */
export const submitKey = programForm(ONE, 'recent', async (visit) => {
  const { parts, locale } = visit
  const { seal, config } = parts
  const place = serviceAccountPlace(visit)
  const { expiresIn, once } = bodyOf(visit)
  const lifetime = LIFETIMES.find((each) => String(each) === expiresIn)
  if (lifetime === undefined || typeof once !== 'string' || !ONCE.test(once)) return show(visit)
  const mark = {
    model: 'ServiceAccountKeyForm',
    idHash: seal.hash(`${place.id} ${once}`, 'service-account-key-form'),
    expiresIn: config.TTL_SESSION_MAX, // as long as its CSRF token can be valid
  }
  let made: Awaited<ReturnType<typeof createKey>> | undefined
  const refusal = await refusalOfChange(visit, async (tx, caller) => {
    if (!(await insertArtifact(tx, mark))) return
    made = await createKey(tx, seal, caller, place, lifetime || null)
  })
  if (refusal) return show(visit, { status: refusal.status, errors: { form: sentenceOfKey(refusal) } })
  if (!made) return show(visit, { status: 409, errors: { form: texts().keyShown } })
  keepOnce(parts, visit.reply, { ...keyAt(visit), shown: { secret: made.secret } })
  return visit.reply.redirect(pageOf(visit, '/key'), 303)

  function texts() {
    return textsOf(locale, 'serviceAccounts')
  }

  function sentenceOfKey(failure: Failure): string {
    const max = String(quotaOf('keysOfServiceAccount'))
    return failure.code === 'limit_reached' ? fillPlain(texts().keysMax, { max }) : sentenceOf(visit, failure)
  }
})

const keyAt = (visit: OrganizationVisit) => {
  const path = pageOf(visit, '/key')
  return { path, page: `${visit.session.uid} ${path}` }
}

/** Shown once; then the page of the service account. */
export const showKey = programPage(
  `${ONE}/key`,
  async (visit) => {
    const { parts, request, reply, organization, reader } = visit
    const made = takeOnce<{ secret: string }>(parts, request, reply, keyAt(visit))
    if (!made) return reply.redirect(pageOf(visit), 303)
    const place = serviceAccountPlace(visit)
    const { name, clientId } = await findServiceAccount(parts.db, reachOfAdmin(visit), place)
    const html = newKeyPage({
      ...reader,
      organization,
      serviceAccount: { id: place.id, name, clientId },
      secret: made.secret,
      tokenAddress: `${parts.config.BASE_URL}/token`,
      next: pathOf(visit, PATH),
    })
    return sendPage(visit, html)
  },
  'recent',
)
