/**
 * The visit of a member to a page of an organization. Whoever is not an active member is answered like for an
 * unknown account.
 *
 * An admin has the authority `account` of the admin API, with the same use cases and limits: in a system
 * without `accountAdminApi` there is nothing that an admin may do here either. The right is checked again in
 * the transaction of each change. The pages take credentials of the user only: of an organization that
 * requires single sign-on there is only the form to leave, unless the member is exempt, who is asked for a
 * second factor.
 */
import type { FastifyReply } from 'fastify'
import { acceptanceOf } from '../../authentication/accepted.ts'
import type { Db } from '../../database/database.ts'
import { failureOf } from '../../database/faults.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure } from '../../errors.ts'
import { type Caller, ofAccount } from '../../http/authority.ts'
import { sharerOf } from '../../http/limits/shares.ts'
import { writtenBy } from '../../http/limits/write-budget.ts'
import { isRead } from '../../http/methods.ts'
import { classNamed, type OperationName } from '../../http/power.ts'
import { RECENT_MAX, signInTooOld } from '../../http/recent-sign-in.ts'
import { isUuid } from '../../http/uuid.ts'
import { noteExemptVisit } from '../../resources/memberships/exemption.ts'
import { isPower } from '../../resources/roles/power.ts'
import { supportOf } from '../../resources/systems/application.ts'
import type { KeyOf } from '../../texts/message.ts'
import { type Catalog, textsOf } from '../../texts/texts.ts'
import { fillPlain } from '../../ui/html.ts'
import type { Faults } from '../../ui/pages/self-service/frame.ts'
import { barredOrganization } from '../../ui/pages/self-service/organizations/overview.ts'
import { startSignIn } from '../sign-in.ts'
import {
  ACCOUNT_SIGN_IN,
  type AccountRoute,
  isSignedInRecently,
  ORGANIZATIONS,
  type Requirement,
  sendPage,
  type Visit,
  visitForm,
  visitPage,
} from '../signed-in.ts'
import { findOwnOrganization, lockAsAdmin, type OwnOrganization } from './queries.ts'
import { returnOf } from './return-to.ts'

/** `returnTo`: where the application is that has linked to the pages. */
export type OrganizationVisit = Visit & { organization: OwnOrganization & { returnTo?: string | undefined } }

export type Handle = (visit: OrganizationVisit) => FastifyReply | Promise<FastifyReply>

/**
 * `leaving`: what remains while the organization is suspended. `own`: what concerns only the user. `others`:
 * what members read about each other. `admin`: for admins. The last two require a sign-in that the system of
 * the organization accepts; `own` does if the organization requires a second factor.
 */
type Access = 'leaving' | 'own' | 'others' | 'admin'

const visiting =
  (access: Access, handle: Handle): AccountRoute['handle'] =>
  async (visit) => {
    const { parts, user, request, reply } = visit
    const { accountId } = request.params as { accountId?: unknown }
    const organization = isUuid(accountId)
      ? await findOwnOrganization(parts.db, { userId: user.id, accountId })
      : undefined
    if (!organization) throw new Failure('account_not_found')
    await parts.shares.take(sharerOf(authorityIn(organization)), reply.raw)
    // The first page, of access `own`, draws that itself, with what the form to leave has answered.
    if (isBarred(organization) && (access === 'others' || access === 'admin'))
      return sendBarred({ ...visit, organization }, undefined)
    if (access === 'admin' && !organization.isAccountAdmin) throw new Failure('insufficient_authority')
    const isOfOthers = access === 'others' || access === 'admin'
    const isAsked = isOfOthers || (access === 'own' && organization.requireMfa && !isBarred(organization))
    if (isAsked && !(await isAccepted(visit, organization))) return reply
    if (isOfOthers && organization.isAccountAdmin && organization.requiresSso)
      await noteExemptVisit(parts, visit.actor, enteredBy(visit, organization), visit.session.uid)
    if (isOfOthers && !isRead(request)) await parts.budget.take(authorityIn(organization), writtenBy(request))
    const returnTo = returnOf(parts.config, request, organization.redirectUris)
    return handle({ ...visit, organization: { ...organization, returnTo } })
  }

export const organizationPage = (
  path: string,
  access: Access,
  handle: Handle,
  requirement?: Requirement,
): AccountRoute => visitPage(`${ORGANIZATIONS}/:accountId${path}`, visiting(access, handle), requirement)

/**
 * What a form does: an operation of the admin API with that body, which is as recent a sign-in as there
 * (http/power.ts); or, for what no operation does, what it requires.
 */
export type Performs =
  | Requirement
  | {
      operation: OperationName | ((visit: OrganizationVisit) => OperationName)
      body?: (visit: OrganizationVisit) => unknown
      /** A list if the form performs it several times. */
      params?: (visit: OrganizationVisit) => Record<string, unknown> | Record<string, unknown>[]
    }

export function organizationForm(
  path: string,
  access: Access,
  performs: Performs,
  handle: Handle,
): AccountRoute {
  const url = `${ORGANIZATIONS}/:accountId${path}`
  if (typeof performs === 'string') return visitForm(url, visiting(access, handle), performs)
  const { operation, body, params } = performs
  const asked: Handle = async (visit) => {
    const request = { params: params?.(visit), body: body?.(visit) }
    const name = typeof operation === 'function' ? operation(visit) : operation
    if (isSignedInRecently(visit) || !(await isPower(visit.parts.db, classNamed(name), request)))
      return handle(visit)
    askToSignIn(visit, { maxAge: RECENT_MAX, secondFactor: visit.user.mfaEnabled })
    return visit.reply
  }
  return visitForm(url, visiting(access, asked), 'ordinary')
}

/** The organization is suspended, or only opens to a login by one of its connections. */
export const isBarred = ({ isSuspended, isClosed }: OwnOrganization): boolean => isSuspended || isClosed

/** In place of every page of such an organization: why, or whom to ask, and the form to leave. */
export const sendBarred = (visit: OrganizationVisit, errors: Faults | undefined): FastifyReply => {
  const { parts, reader, csrf, organization, request, reply } = visit
  if (!isRead(request)) return reply.redirect(pathOf(visit), 303)
  const support = supportOf(parts.config, organization)
  const page = barredOrganization({ ...reader, csrf, organization, support, errors })
  return sendPage(visit, page, errors ? 409 : 403)
}

const askToSignIn = (
  { parts, request, reply }: Visit,
  required: { maxAge: number | undefined; secondFactor: boolean },
): void =>
  startSignIn(parts, ACCOUNT_SIGN_IN, request, reply, { page: request.url.split('?')[0]!, ...required })

/** Whether the system accepts the sign-in; otherwise the reply redirects to the required one. */
async function isAccepted(visit: Visit, organization: OwnOrganization): Promise<boolean> {
  const { parts, user, proofs } = visit
  const acceptance = await acceptanceOf(parts.db, { userId: user.id, proofs }, organization)
  if (acceptance === 'accepted') return true
  if (acceptance === 'disabled') throw new Failure('account_not_found')
  // The system does not accept this credential: another sign-in with it would lead here again.
  if (acceptance === 'too_old' && isSignedInRecently(visit)) throw signInTooOld()
  askToSignIn(visit, {
    maxAge: acceptance === 'too_old' ? RECENT_MAX : undefined,
    secondFactor: acceptance === 'factor_missing' || user.mfaEnabled,
  })
  return false
}

const enteredBy = ({ user }: Visit, { id: accountId, systemId, membershipId }: OwnOrganization) => ({
  id: membershipId,
  accountId,
  systemId,
  userId: user.id,
})

const authorityIn = ({ id, systemId }: OwnOrganization) =>
  ({ authority: 'account', systemId, accountId: id }) as const

/** The user as a caller of the use cases of the admin API. */
const callerOf = ({ actor, session, organization }: OrganizationVisit): Caller => ({
  ...authorityIn(organization),
  actor: { ...actor, authority: 'account' },
  expiresAt: new Date((session.exp ?? 0) * 1_000),
})

/** The rows that an admin reaches. */
export const reachOfAdmin = ({ organization: { id, systemId } }: OrganizationVisit) => ofAccount(systemId, id)

/**
 * A change by an admin, in one transaction with the check that the user is one at this moment. `memberId`:
 * the membership that changes.
 */
export const changeAsAdmin = <T>(
  visit: OrganizationVisit,
  change: (tx: Db, caller: Caller) => Promise<T>,
  memberId?: string,
): Promise<T> =>
  inTransaction(visit.parts.db, async (tx) => {
    await lockAsAdmin(tx, { userId: visit.user.id, accountId: visit.organization.id }, memberId)
    return change(tx, callerOf(visit))
  })

/**
 * The same. Returns why a rule has refused the change, for the page; a user who is no admin any more, and an
 * unknown id, are answered by the page of the error.
 */
export async function refusalOfChange(
  visit: OrganizationVisit,
  change: (tx: Db, caller: Caller) => Promise<unknown>,
  memberId?: string,
): Promise<Failure | undefined> {
  let isAdmin = false
  try {
    await changeAsAdmin(
      visit,
      (tx, caller) => {
        isAdmin = true
        return change(tx, caller)
      },
      memberId,
    )
    return undefined
  } catch (error) {
    const failure = failureOf(error)
    if (!isAdmin || !failure || failure.status >= 500 || failure.status === 404) throw error
    return failure
  }
}

/** Counts the things of a form that changes several, beyond the first one. Call it before they change. */
export const countChanges = (visit: OrganizationVisit, things: number): Promise<void> =>
  visit.parts.budget.take(callerOf(visit), { bytes: 0, things: Math.max(0, things - 1) })

/** Throws `insufficient_authority` if the user is no admin any more. */
export async function demandAdminStill({ parts, user, organization }: OrganizationVisit): Promise<void> {
  const now = await findOwnOrganization(parts.db, { userId: user.id, accountId: organization.id })
  if (!now?.isAccountAdmin || now.isClosed) throw new Failure('insufficient_authority')
}

/** The text of a refusal. */
export function refusalKey({ code }: Failure): 'soleAdmin' | 'limit' | 'refused' | 'changed' {
  if (code === 'last_admin') return 'soleAdmin'
  if (code === 'limit_reached') return 'limit'
  return code === 'insufficient_authority' ? 'refused' : 'changed'
}

/** The sentence of a refusal. */
export function sentenceOf(
  { locale, organization: { system } }: OrganizationVisit,
  failure: Failure,
): string {
  if (failure.code === 'service_accounts_not_allowed')
    return fillPlain(textsOf(locale, 'serviceAccounts').notAllowed, { system })
  return textsOf(locale, 'organization')[refusalKey(failure)]
}

/** The success message after the redirect of a form, if it is one of these. */
export function doneOf(
  { request, locale }: Visit,
  keys: readonly KeyOf<Catalog['organization']>[],
): string | undefined {
  const done = keys.find((key) => key === (request.query as { done?: unknown }).done)
  return done && textsOf(locale, 'organization')[done]
}

export const pathOf = ({ organization }: OrganizationVisit, path = ''): string =>
  `${ORGANIZATIONS}/${organization.id}${path}`
