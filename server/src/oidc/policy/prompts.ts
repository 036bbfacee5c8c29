/**
 * The prompts of a sign-in, in their order. Each check decides only whether its own step is still required.
 * No step calls another: every step ends by resuming the library, which evaluates this list again.
 *
 *   login           authentication with a password or a passkey
 *   verify_email    a user who is about to join verifies the address; or the credential of the sign-in is
 *                   valid only together with an emailed code
 *   change_password the password was set by an administrator: the user chooses another
 *   email_otp       a code by email (systems with requireEmailOtp)
 *   second_factor   an authenticator app or a passkey; a user without one enrolls it here
 *   join            not a member yet of an open system: confirms to become one
 *   access          the membership is pending or blocked: the sign-in ends with that message
 *   select_account  several accounts are possible; or the last one is blocked
 *   consent         the scopes that the application requests
 *   open            no prompt is left: opens the session (a grant bound to the chosen membership)
 */
import { errors, interactionPolicy, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { AAL2, acrOf, asksForFactors, hasMailedCode } from '../../authentication/assurance.ts'
import { sendEmailCode } from '../../authentication/email-code.ts'
import {
  choiceScope,
  isFactorRecent,
  isLoginIdle,
  isOnlyFederated,
  unconfirmedOf,
} from '../../authentication/proofs.ts'
import type { Db } from '../../database/database.ts'
import { readHandle, writeHandle } from '../../database/transaction.ts'
import type { Scope } from '../../http/authority.ts'
import { RECENT_MAX } from '../../http/recent-sign-in.ts'
import { findEnabledUser } from '../../resources/users/sign-in.ts'
import { openSession } from '../grants.ts'
import { brandOf, isAccountClient } from '../provider/clients.ts'
import { isRegistrationDue } from '../provider/parameters.ts'
import {
  actorOf,
  currentMember,
  guardFaults,
  requestState,
  sessionIdFor,
  userIdOf,
} from '../request-state.ts'
import type { Storage } from '../storage/storage.ts'
import {
  hasFactor,
  hasOwnFactor,
  hasVerifiedEmail,
  isReauthentication,
  isWithoutCredentials,
  mustChangePassword,
  unconfirmedCredentials,
} from './claims.ts'
import { demandAcr, requestedAcrValues } from './claims-request.ts'
import { consentOf, isConsentRequested, isEntryRequired } from './consent.ts'
import { markUsed, scopeOfClient } from './proofs.ts'

const { Check, Prompt, base } = interactionPolicy

export function prompts(db: Db): interactionPolicy.DefaultPolicy {
  const policy = base()
  const login = policy.get('login')
  const consent = policy.get('consent')
  if (!login || !consent) throw new Error('the library has no prompt login or consent')

  login.checks.add(
    new Check(
      'user_not_found',
      'End-User authentication is required',
      'login_required',
      (ctx) => userIdOf(ctx.oidc.session) !== undefined && !ctx.oidc.account,
    ),
  )
  login.checks.add(
    new Check(
      'not_authenticated',
      'End-User authentication is required',
      'login_required',
      (ctx) => ctx.oidc.account !== undefined && !isAuthenticated(ctx),
    ),
  )
  login.checks.add(
    new Check(
      'session_ended',
      'End-User authentication is required',
      'login_required',
      guardFaults((ctx: KoaContextWithOIDC) => sessionEnded(db, ctx)),
    ),
  )
  login.checks.remove('max_age')
  login.checks.add(
    new Check('max_age', 'End-User authentication could not be obtained', 'login_required', (ctx) =>
      isLoginRequired(ctx),
    ),
  )
  login.checks.add(
    new Check('create', 'the user has to register', 'login_required', (ctx) =>
      isRegistrationDue(ctx, 'prompt'),
    ),
  )
  login.checks.add(
    new Check('session_old', 'End-User authentication is required', 'login_required', (ctx) =>
      isTooOldForFactors(ctx),
    ),
  )
  login.checks.add(
    new Check('device', 'End-User authentication is required', 'login_required', (ctx) =>
      isTooOldForDevice(ctx),
    ),
  )
  // The library would ask for the password again and again, which changes no acr: second_factor decides.
  login.checks.remove('essential_acr')
  login.checks.remove('essential_acrs')
  // A stored consent is valid for a native client too: RFC 8252 section 8.6 requires it once.
  consent.checks.remove('native_client_prompt')
  consent.checks.remove('consent_prompt')
  consent.checks.add(
    new Check('consent_prompt', 'consent prompt was not resolved', 'consent_required', isConsentRequested),
    0,
  )
  consent.checks.add(
    new Check('first_entry', 'the user has not accepted the membership', 'login_required', isEntryRequired),
    0,
  )
  consent.details = consentOf

  // The library accepts the value `create` of `prompt` if there is a prompt of this name.
  const create = new Prompt({ name: 'create', requestable: true })
  create.checks.clear()
  policy.add(create)
  for (const [index, prompt] of stepsBetween().entries()) policy.add(prompt, index + 1)
  // The built-in client of /account has no accounts: prompt=select_account asks nothing there.
  for (const check of policy.get('select_account')?.checks ?? []) {
    const isRequired = check.check
    check.check = (ctx) => !isAccountClient(ctx.oidc.client) && isRequired(ctx)
  }
  policy.add(
    new Prompt(
      { name: 'open' },
      new Check('opened', 'the session could not be opened', async (ctx) => {
        await openSession(ctx)
        markUsed(ctx)
        return false
      }),
    ),
  )
  return policy
}

/** After the login and before the consent. */
const stepsBetween = () => [
  new Prompt(
    { name: 'verify_email' },
    confirmationOf,
    new Check('email_unverified', 'the email address has to be verified', (ctx) => isEmailRequired(ctx)),
  ),
  new Prompt(
    { name: 'change_password' },
    new Check('password_set_by_admin', 'the password has to be changed', (ctx) =>
      mustChangePassword(ctx.oidc.account),
    ),
  ),
  new Prompt(
    { name: 'email_otp' },
    new Check('email_code_required', 'a code sent by email is required', (ctx) => isEmailCodeRequired(ctx)),
  ),
  new Prompt(
    { name: 'second_factor' },
    enrollmentOf,
    new Check('factor_required', 'a second factor is required', (ctx) => {
      if (isFactorRequired(ctx)) return true
      demandAcr(ctx, verifiedMethods(ctx))
      return false
    }),
  ),
  new Prompt(
    { name: 'join' },
    new Check('not_member', 'the user has no active membership', 'access_denied', (ctx) => canJoin(ctx)),
  ),
  new Prompt(
    { name: 'access' },
    new Check('no_access', 'the user has no active membership', 'access_denied', accessRefused, refusalOf),
  ),
  new Prompt(
    { name: 'select_account', requestable: true },
    placesOf,
    new Check(
      'several_accounts',
      'an account has to be selected',
      (ctx) => choiceOf(ctx)?.kind === 'several',
    ),
  ),
]

/** Whether the user has logged in with a credential that is valid for the client. */
const isAuthenticated = (ctx: KoaContextWithOIDC): boolean =>
  requestState(ctx).proofs.some(({ primary }) => primary)

/**
 * A session that has ended is not opened again from the browser session: the user signs
 * in again, for this system only.
 */
async function sessionEnded(db: Db, ctx: KoaContextWithOIDC): Promise<boolean> {
  const { session, client, result } = ctx.oidc
  if (!userIdOf(session) || result?.login) return false
  if (sessionIdFor(session, client) === undefined) return false
  return (await currentMember(ctx, await readHandle(db))) === undefined
}

const choiceOf = (ctx: KoaContextWithOIDC) => requestState(ctx).choice

/** Not a member of an open system. */
const canJoin = (ctx: KoaContextWithOIDC): boolean => {
  const choice = choiceOf(ctx)
  return choice?.kind === 'refused' && choice.reason === 'none' && ctx.oidc.client?.open === true
}

/** The credentials of this sign-in that a code sent to the user's address confirms. */
const confirmationOf = (ctx: KoaContextWithOIDC): ConfirmationDetails => ({
  confirms: unconfirmedOf(requestState(ctx).proofs, {
    id: userIdOf(ctx.oidc.session) ?? '',
    unconfirmed: unconfirmedCredentials(ctx.oidc.account),
  }),
})

/** The details of the prompt `verify_email`. */
export type ConfirmationDetails = { confirms: string[] }

/** To join, or to confirm a credential: an unverified address blocks no other sign-in. */
const isEmailRequired = (ctx: KoaContextWithOIDC): boolean =>
  confirmationOf(ctx).confirms.length > 0 || (canJoin(ctx) && !hasVerifiedEmail(ctx.oidc.account))

/** Without a membership the sign-in ends at once; the user is shown that it is pending or blocked. */
function accessRefused(ctx: KoaContextWithOIDC): boolean {
  const choice = choiceOf(ctx)
  if (choice?.kind !== 'refused') return false
  if (choice.reason === 'none' || choice.reason === 'foreign')
    throw new errors.AccessDenied('the user has no active membership')
  return true
}

function refusalOf(ctx: KoaContextWithOIDC): Record<string, unknown> {
  const choice = choiceOf(ctx)
  return { reason: choice?.kind === 'refused' ? choice.reason : undefined }
}

/** The accounts to select from; also if there is only one and the request asks for the selection. */
function placesOf(ctx: KoaContextWithOIDC): SelectionDetails {
  const choice = choiceOf(ctx)
  const selectable =
    choice?.kind === 'several' ? choice.memberships : choice?.kind === 'selected' ? [choice.membership] : []
  return {
    accounts: selectable.map(({ accountId, accountName, accountKind, lastUsedAt }) => ({
      id: accountId,
      name: accountName,
      kind: accountKind,
      ...(lastUsedAt !== null && { lastUsedAt }),
    })),
    ...(choice?.kind === 'several' && choice.blocked !== undefined && { blocked: choice.blocked }),
  }
}

/** The details of the prompt `select_account`. */
export type SelectionDetails = {
  accounts: { id: string; name: string; kind: 'personal' | 'organization'; lastUsedAt?: string }[]
  /** The name of an account that the user would continue in if it were not blocked. */
  blocked?: string
}

/** `max_age` (OpenID Connect Core section 3.1.2.1). */
const isTooOld = ({ oidc: { session, params, result } }: KoaContextWithOIDC): boolean =>
  params?.max_age !== undefined &&
  userIdOf(session) !== undefined &&
  session?.past(params.max_age as number) === true &&
  !result?.login

/**
 * For /account, which sends `max_age` before a change of credentials, a session that only another identity
 * provider has authenticated is not enough: the user enters the password or uses a passkey. A user who has
 * neither signs in with the provider again.
 */
const isLoginRequired = (ctx: KoaContextWithOIDC): boolean =>
  isTooOld(ctx) ||
  (isReauthentication(ctx) &&
    !isWithoutCredentials(ctx.oidc.account) &&
    isOnlyFederated(requestState(ctx).proofs))

/**
 * 24 hours, in seconds: then a system with requireMfa requires authentication with all factors again, and
 * also after an hour without a sign-in to any system (NIST SP 800-63B AAL2).
 */
const FACTORS_MAX = 86_400

const verifiedMethods = (ctx: KoaContextWithOIDC): readonly string[] => ctx.oidc.session?.amr ?? []

/** Where a factor is valid that the user enrolls in this sign-in. */
const enrollmentOf = (ctx: KoaContextWithOIDC): EnrollmentDetails => ({
  scope: choiceScope(
    requestState(ctx).proofs,
    { hasOwnFactor: hasOwnFactor(ctx.oidc.account) },
    scopeOfClient(ctx.oidc.client),
  ),
})

/** The details of the prompt `second_factor`. */
export type EnrollmentDetails = { scope: Scope }

/** A code by email: once in a browser session, for systems with requireEmailOtp. */
const isEmailCodeRequired = (ctx: KoaContextWithOIDC): boolean =>
  ctx.oidc.client?.require_email_otp === true && !hasMailedCode(verifiedMethods(ctx))

/**
 * A second factor: for every user if the system or the request requires it, and
 * always for a user who has one.
 */
function isFactorRequired(ctx: KoaContextWithOIDC): boolean {
  const { client, account } = ctx.oidc
  // Proofs of different scopes have times of their own: a new login leaves the factor of an earlier one.
  if (client?.require_mfa === true && !isFactorRecent(requestState(ctx).proofs, FACTORS_MAX)) return true
  if (acrOf(verifiedMethods(ctx)) === AAL2) return false
  return client?.require_mfa === true || asksForFactors(requestedAcrValues(ctx)) || hasFactor(account)
}

/** A first factor is enrolled only after a recent login, as on /account: a passkey signs in by itself. */
const isTooOldToEnroll = (ctx: KoaContextWithOIDC): boolean =>
  ctx.oidc.session?.past(RECENT_MAX) === true && !hasFactor(ctx.oidc.account) && isFactorRequired(ctx)

const isTooOldForFactors = (ctx: KoaContextWithOIDC): boolean => {
  const { session, client, result } = ctx.oidc
  if (userIdOf(session) === undefined || result?.login) return false
  const isOld = session?.past(FACTORS_MAX) === true || isLoginIdle(requestState(ctx).proofs)
  return (client?.require_mfa === true && isOld) || isTooOldToEnroll(ctx)
}

/** A device is confirmed only after a recent sign-in, because a link to its code can come from anyone. */
const isTooOldForDevice = ({ oidc: { entities, session, result } }: KoaContextWithOIDC): boolean =>
  entities.DeviceCode !== undefined &&
  userIdOf(session) !== undefined &&
  session?.past(RECENT_MAX) === true &&
  !result?.login

type Interaction = InstanceType<Provider['Interaction']>

/**
 * The library's interactions.url, called when the interaction is stored: a step that
 * begins with an email sends it here. The path is that of the interaction's cookie.
 */
export const beginStepIn =
  ({ db, seal }: Storage) =>
  async (ctx: KoaContextWithOIDC, { uid, prompt }: Interaction): Promise<string> => {
    if (prompt.name === 'email_otp' || prompt.name === 'verify_email') {
      const tx = await writeHandle(db)
      const { client } = ctx.oidc
      const user = await findEnabledUser(tx, userIdOf(ctx.oidc.session) ?? '', scopeOfClient(client))
      const systemId = client?.system_id === undefined ? null : String(client.system_id) // null: /account
      const system = client && systemId !== null ? brandOf(client) : undefined
      const sending = { uid, systemId, system }
      if (user) await sendEmailCode(tx, seal, actorOf(ctx), user, sending)
    }
    const screen = prompt.name === 'login' && isRegistrationDue(ctx, 'any') ? '?screen=register' : ''
    return `/interaction/${uid}${screen}`
  }
