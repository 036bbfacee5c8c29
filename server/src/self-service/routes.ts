/**
 * The user's own pages: /account and below. They belong to the user of the browser session, whichever systems
 * it was opened for. A GET changes nothing, and every statement is limited to this user.
 */
import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Failure } from '../errors.ts'
import { isSameOrigin } from '../http/forms-and-cookies.ts'
import type { answerFailures } from '../http/problems.ts'
import { ACCOUNT_CALLBACK } from '../oidc/clients/client.ts'
import { answerPageFailures, brandBy, unknownAddress } from '../ui/pages/page-failures.ts'
import { clientOfPages, keepApplication } from './application.ts'
import { DELETED, showDelete, showDeleted, submitDelete } from './delete.ts'
import { showEmail, submitEmail } from './email.ts'
import { showLink, startLink, submitLink } from './link.ts'
import { showApplications, showMemberships, submitRevokeConsent } from './memberships.ts'
import { showActivity } from './organizations/activity.ts'
import { submitBrand } from './organizations/brand.ts'
import {
  showConnection,
  submitConnection,
  submitDeleteConnection,
  submitEndConnectionSessions,
  submitProvider,
  submitTest,
  submitTurnOff,
  submitTurnOn,
} from './organizations/connection.ts'
import { showConnectionLinks, submitUnlink, submitUnlinkAll } from './organizations/connection-links.ts'
import { showConnectionLog, showNewConnection, submitNewConnection } from './organizations/connections.ts'
import { showInvitations, submitInvitation, submitInvitations } from './organizations/invitations.ts'
import {
  showMember,
  submitHandOver,
  submitRemove,
  submitRoles,
  submitStatus,
} from './organizations/member.ts'
import { showMembers } from './organizations/members.ts'
import { showLeave, showOrganization, submitLeave } from './organizations/overview.ts'
import { keepReturn } from './organizations/return-to.ts'
import {
  showKey,
  showServiceAccount,
  submitKey,
  submitServiceAccount,
} from './organizations/service-account.ts'
import {
  showNewServiceAccount,
  showServiceAccounts,
  submitDeleteServiceAccount,
  submitDisable,
  submitEnable,
  submitNewServiceAccount,
  submitRevokeKey,
} from './organizations/service-accounts.ts'
import { showSettings, submitSettings } from './organizations/settings.ts'
import { showSeveral, submitSeveral } from './organizations/several.ts'
import {
  showSingleSignOn,
  submitCheck,
  submitDomain,
  submitRemoveDomain,
  submitSubdomains,
} from './organizations/single-sign-on.ts'
import { showPassword, submitPassword } from './password.ts'
import { showProfile, submitProfile } from './profile.ts'
import {
  showCodes,
  showSecurity,
  submitApp,
  submitNewPasskey,
  submitRecoveryCodes,
  submitRemoveFactor,
  submitRenamePasskey,
  submitUnlink as submitUnlinkIdentity,
} from './security.ts'
import { showSessions, submitEndSessions } from './sessions.ts'
import { completeSignIn } from './sign-in.ts'
import { ACCOUNT_SIGN_IN, type AccountParts, type AccountRoute, requireSignIn } from './signed-in.ts'

/** 16 kB: all forms are small. */
const BODY_LIMIT = 16_384
const schema = { hide: true }

const ROUTES: AccountRoute[] = [
  showProfile,
  submitProfile,
  showPassword,
  submitPassword,
  showSessions,
  submitEndSessions,
  showMemberships,
  showApplications,
  submitRevokeConsent,
  showSecurity,
  showCodes,
  submitApp,
  submitNewPasskey,
  submitRemoveFactor,
  submitRenamePasskey,
  submitUnlinkIdentity,
  submitRecoveryCodes,
  startLink,
  showLink,
  submitLink,
  showEmail,
  submitEmail,
  showDelete,
  submitDelete,
  showOrganization,
  showLeave,
  submitLeave,
  showSettings,
  submitSettings,
  submitBrand,
  showMembers,
  showSeveral,
  submitSeveral,
  showActivity,
  showMember,
  submitStatus,
  submitRoles,
  submitRemove,
  submitHandOver,
  showInvitations,
  submitInvitations,
  submitInvitation,
  showSingleSignOn,
  submitDomain,
  submitSubdomains,
  submitCheck,
  submitRemoveDomain,
  showNewConnection,
  submitNewConnection,
  showConnection,
  showConnectionLog,
  showConnectionLinks,
  submitUnlink,
  submitUnlinkAll,
  submitProvider,
  submitConnection,
  submitTest,
  submitTurnOn,
  submitTurnOff,
  submitEndConnectionSessions,
  submitDeleteConnection,
  showServiceAccounts,
  showNewServiceAccount,
  submitNewServiceAccount,
  showServiceAccount,
  submitServiceAccount,
  submitKey,
  showKey,
  submitRevokeKey,
  submitDisable,
  submitEnable,
  submitDeleteServiceAccount,
]

/** Answers unknown addresses below /account as the other errors there. `answer`: of an unknown address. */
export const unknownAccountPages: FastifyPluginAsyncTypebox<
  AccountParts & { answer: ReturnType<typeof answerFailures> }
> = async (app, { answer, ...parts }) => {
  const brandOf = brandBy(parts, (request, reply) => clientOfPages(parts, request, reply))
  app.setNotFoundHandler(answer(unknownAddress(brandOf)))
}

export const accountRoutes: FastifyPluginAsyncTypebox<AccountParts> = async (app, parts) => {
  await app.register(formbody, { bodyLimit: BODY_LIMIT })
  answerPageFailures(app, parts, (request, reply) => clientOfPages(parts, request, reply), null)
  app.addHook('onRequest', async (request, reply) => {
    // With no-referrer, browsers send `Origin: null` with our own forms (Fetch standard).
    reply.header('referrer-policy', 'same-origin')
    if (request.method === 'POST' && !isSameOrigin(request, parts.config.BASE_URL))
      throw new Failure('csrf_rejected')
  })
  app.get(ACCOUNT_CALLBACK, { config: { authority: 'public' }, schema }, async (request, reply) =>
    completeSignIn(parts, ACCOUNT_SIGN_IN, request, reply),
  )
  app.get(DELETED, { config: { authority: 'public' }, schema }, async (request, reply) =>
    showDeleted(parts, request, reply),
  )
  for (const { method, url, requirement, bodyLimit = BODY_LIMIT, handle } of ROUTES)
    app.route({
      method,
      url,
      bodyLimit,
      config: { authority: 'browser-session' },
      schema,
      handler: async (request, reply) => {
        keepReturn(parts.config, request, reply)
        keepApplication(parts.config, request, reply)
        const visit = await requireSignIn(parts, request, reply, requirement)
        return visit ? handle(visit) : reply
      },
    })
}
