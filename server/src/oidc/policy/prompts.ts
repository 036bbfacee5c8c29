/**
 * The prompts of a sign-in, in their order. Each check (owed.ts) decides only whether its own step is still
 * required. No step calls another: every step ends by resuming the library, which evaluates this list again.
 *
 *   connection      a login by a connection of the organization, in a membership that no other login opens
 *   login           authentication with a password or a passkey
 *   verify_email    a user who is about to join verifies the address; or the credential of the sign-in is
 *                   valid only together with an emailed code
 *   change_password the password was set by an administrator: the user chooses another
 *   email_otp       a code by email (systems with requireEmailOtp)
 *   second_factor   an authenticator app or a passkey; a user without one enrolls it here. If the account
 *                   requires it, after select_account and the first entry: the list is evaluated again
 *   join            not a member yet of an open system: confirms to become one
 *   access          no membership that may be used (standing.ts): the sign-in ends with that message
 *   select_account  several accounts are possible; or the last one can't be used any more
 *   consent         the scopes that the application requests
 *   passkey_offer   a passkey is offered after a sign-in with a password (passkey-offer.ts)
 *   test            a test of the sign-in ends here (test-sign-in.ts)
 *   open            no prompt is left: opens the session (a grant bound to the chosen membership)
 */
import { errors, interactionPolicy, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { sendEmailCode } from '../../authentication/email-code.ts'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../database/database.ts'
import { writeHandle } from '../../database/transaction.ts'
import { cookieAttributes } from '../../http/forms-and-cookies.ts'
import type { SelectableMembership } from '../../resources/sessions/queries.ts'
import { ACCOUNTS_SHOWN } from '../../resources/sign-ins/access.ts'
import { findEnabledUser, type LostAccount } from '../../resources/sign-ins/queries.ts'
import { applicationOfClient, isAccountClient } from '../clients/client.ts'
import type { Offer } from './account-choice.ts'
import { confirmMembership } from './account-logins.ts'
import { unmetAcr } from './claims-request.ts'
import { connectionPrompt, hasEndedSession } from './connection-prompt.ts'
import { consentOf } from './consent.ts'
import { countedFor, factorDetailsOf } from './factor-details.ts'
import { openSession } from './open-session.ts'
import {
  canJoin,
  confirmedByCode,
  isAuthenticated,
  isConsentRequested,
  isEmailCodeRequired,
  isEmailRequired,
  isEntryRequired,
  isFactorRequired,
  isLoginRequired,
  isOwnLogin,
  isPassingStranger,
  isRefusedFactor,
  isSelectionRequired,
  isTooOldForDevice,
  isTooOldForFactors,
  mustChangePassword,
  type Owing,
  refusalOf,
} from './owed.ts'
import { owingOf } from './owing.ts'
import { isOfferDue, offerDetailsOf } from './passkey-offer.ts'
import { markUsed, scopeOfClient } from './proofs.ts'
import { recordRefusedSignIn } from './refused-sign-ins.ts'
import { actorOf, guardFaults, requestState, userIdOf } from './request-state.ts'
import { isRegistrationDue, isTest } from './requested.ts'
import type { Storage } from './storage.ts'
import { skipChanges, testPrompt } from './test-sign-in.ts'

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
      (ctx) => ctx.oidc.account !== undefined && !isAuthenticated(owingOf(ctx)),
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
      isLoginRequired(owingOf(ctx)),
    ),
  )
  login.checks.add(
    new Check(
      'create',
      'the user has to register',
      'login_required',
      (ctx) => owingOf(ctx).request.registers,
    ),
  )
  // An acr that nothing obtains is refused after a login, as in a browser without a session.
  login.checks.add(
    new Check('acr_of_stranger', 'End-User authentication is required', 'login_required', (ctx) => {
      const owing = owingOf(ctx)
      return (
        isPassingStranger(owing) &&
        !isFactorRequired(owing) &&
        unmetAcr(ctx, verifiedMethods(ctx)) !== undefined
      )
    }),
  )
  login.checks.add(
    new Check('session_old', 'End-User authentication is required', 'login_required', (ctx) =>
      isTooOldForFactors(owingOf(ctx)),
    ),
  )
  login.checks.add(
    new Check('device', 'End-User authentication is required', 'login_required', (ctx) =>
      isTooOldForDevice(owingOf(ctx)),
    ),
  )
  // The library would ask for the password again and again, which changes no acr: second_factor decides.
  login.checks.remove('essential_acr')
  login.checks.remove('essential_acrs')
  // A stored consent is valid for a native client too: RFC 8252 section 8.6 requires it once.
  consent.checks.remove('native_client_prompt')
  consent.checks.remove('consent_prompt')
  consent.checks.add(
    new Check('consent_prompt', 'consent prompt was not resolved', 'consent_required', (ctx) =>
      isConsentRequested(owingOf(ctx)),
    ),
    0,
  )
  consent.checks.add(
    new Check('first_entry', 'the user has not accepted the membership', 'login_required', (ctx) =>
      isEntryRequired(owingOf(ctx)),
    ),
    0,
  )
  consent.details = consentOf

  // The library accepts the value `create` of `prompt` if there is a prompt of this name.
  const create = new Prompt({ name: 'create', requestable: true })
  create.checks.clear()
  policy.add(create)
  for (const [index, prompt] of stepsBetween(db).entries()) policy.add(prompt, index && index + 1)
  // The built-in client of /account has no accounts: prompt=select_account asks nothing there.
  for (const check of policy.get('select_account')?.checks ?? []) {
    const isRequired = check.check
    check.check = (ctx) => !isAccountClient(ctx.oidc.client) && isRequired(ctx)
  }
  for (const end of [passkeyPrompt(), testPrompt(db, skipChanges(policy))]) policy.add(end)
  policy.add(
    new Prompt(
      { name: 'open' },
      new Check('opened', 'the session could not be opened', async (ctx) => {
        await confirmMembership(ctx, db)
        await openSession(ctx)
        markUsed(ctx)
        return false
      }),
    ),
  )
  return policy
}

const passkeyPrompt = () =>
  new Prompt(
    { name: 'passkey_offer' },
    offerDetailsOf,
    new Check('passkey_offered', 'a passkey is offered', isOfferDue),
  )

/** The first comes before the login, the others between it and the consent. */
const stepsBetween = (db: Db) => [
  connectionPrompt(db),
  new Prompt(
    { name: 'verify_email' },
    confirmationOf,
    new Check('email_unverified', 'the email address has to be verified', (ctx) =>
      isEmailRequired(owingOf(ctx)),
    ),
  ),
  new Prompt(
    { name: 'change_password' },
    new Check('password_set_by_admin', 'the password has to be changed', (ctx) =>
      mustChangePassword(owingOf(ctx)),
    ),
  ),
  new Prompt(
    { name: 'email_otp' },
    countedFor,
    new Check('email_code_required', 'a code sent by email is required', (ctx) =>
      isEmailCodeRequired(owingOf(ctx)),
    ),
  ),
  new Prompt(
    { name: 'second_factor' },
    factorDetailsOf,
    new Check('factor_required', 'a second factor is required', async (ctx) => {
      const owing = owingOf(ctx)
      if (isRefusedFactor(owing)) {
        await recordRefusedSignIn(db, ctx, 'factor')
        throw new errors.AccessDenied('the organization has confirmed no second factor')
      }
      if (isFactorRequired(owing)) return !isTest(ctx) || owing.user?.hasFactor === true
      const unmet = unmetAcr(ctx, verifiedMethods(ctx))
      if (!unmet) return false
      await recordRefusedSignIn(db, ctx, 'factor')
      throw unmet
    }),
  ),
  new Prompt(
    { name: 'join' },
    (ctx: KoaContextWithOIDC): JoinDetails => ({ enters: isOwnLogin(owingOf(ctx)) }),
    new Check('not_member', 'the user has no active membership', 'access_denied', (ctx) =>
      canJoin(owingOf(ctx)),
    ),
  ),
  new Prompt(
    { name: 'access' },
    new Check('no_access', 'the user has no active membership', 'access_denied', accessRefusedIn(db), (ctx) =>
      shownRefusal(owingOf(ctx)),
    ),
  ),
  new Prompt(
    { name: 'select_account', requestable: true },
    placesOf,
    new Check('several_accounts', 'an account has to be selected', (ctx) =>
      isSelectionRequired(owingOf(ctx)),
    ),
  ),
]

/**
 * A session that has ended is not opened again from the browser session: the user signs
 * in again, for this system only.
 */
async function sessionEnded(db: Db, ctx: KoaContextWithOIDC): Promise<boolean> {
  const { session, result } = ctx.oidc
  return userIdOf(session) !== undefined && !result?.login && hasEndedSession(db, ctx)
}

const confirmationOf = (ctx: KoaContextWithOIDC): ConfirmationDetails => ({
  confirms: confirmedByCode(owingOf(ctx)),
})

/** The details of the prompt `join`: whether the user has logged in with their own credentials. */
export type JoinDetails = { enters: boolean }

/** The details of the prompt `verify_email`: the ids of the credentials that the code confirms. */
export type ConfirmationDetails = { confirms: string[] }

/** A refusal that the user is shown: they can continue as another user. */
export type ShownRefusal = 'none' | 'pending' | 'blocked' | 'suspended'

/** The details of the prompt `access`. `account`: the name of the one that is suspended. */
export type AccessDetails = { reason?: ShownRefusal; account?: string }

const shownRefusal = ({ choice }: Owing): AccessDetails => {
  if (choice?.kind !== 'refused') return {}
  if (choice.reason === 'suspended') return { reason: 'suspended', account: choice.account.accountName }
  return { reason: choice.reason === 'foreign' ? 'none' : choice.reason }
}

/**
 * The user is shown why they have no access. Who has just logged in without any membership, or names an
 * account, returns to the application at once; a browser that was signed in before could then never sign in
 * as another user. A stranger who has done nothing in this sign-in always gets the page, and no entry: the
 * system does not find out that they are here.
 */
const accessRefusedIn =
  (db: Db) =>
  async (ctx: KoaContextWithOIDC): Promise<boolean> => {
    const reason = refusalOf(owingOf(ctx))
    if (reason === undefined) return false
    await recordRefusedSignIn(db, ctx, reason)
    if (isPassingStranger(owingOf(ctx))) return true
    if (reason === 'foreign' || (reason === 'none' && ctx.oidc.result?.login))
      throw new errors.AccessDenied('the user has no active membership')
    return true
  }

/**
 * The accounts to select from; also if there is only one and the request asks for the selection. Of many,
 * those that were used last and others.
 */
function placesOf(ctx: KoaContextWithOIDC): SelectionDetails {
  const { choice } = requestState(ctx)
  const selectable =
    choice?.kind === 'several' ? choice.memberships : choice?.kind === 'selected' ? [choice.membership] : []
  const isUsed = ({ lastUsedAt }: SelectableMembership) => lastUsedAt !== null
  const all = [...selectable.filter(isUsed), ...selectable.filter((each) => !isUsed(each))]
  return {
    accounts: all.slice(0, ACCOUNTS_SHOWN).map(({ accountId, accountName, accountKind, lastUsedAt }) => ({
      id: accountId,
      name: accountName,
      kind: accountKind,
      ...(lastUsedAt !== null && { lastUsedAt }),
    })),
    ...(all.length > ACCOUNTS_SHOWN && { more: true }),
    ...(choice && choice.kind !== 'refused' && choice.offers?.length && { invitations: choice.offers }),
    ...(choice?.kind === 'several' && {
      ...(choice.lost && { lost: choice.lost }),
      ...(choice.pending !== undefined && { pending: choice.pending }),
      ...(choice.refusal === 'none' && ctx.oidc.client?.tenantry.open && { mayCreate: true }),
    }),
  }
}

/** The details of the prompt `select_account`. */
export type SelectionDetails = {
  accounts: { id: string; name: string; kind: 'personal' | 'organization'; lastUsedAt?: string }[]
  /** The user has further accounts, which are found by a search. */
  more?: boolean
  /** The account that the user would continue in if it could be used. */
  lost?: LostAccount
  /** The name of the account that the user selected, whose membership has to be approved. */
  pending?: string
  /** The invitations that the user can accept instead. */
  invitations?: Offer[]
  /** The user can join the system with a new account. */
  mayCreate?: boolean
}

const verifiedMethods = (ctx: KoaContextWithOIDC): readonly string[] => ctx.oidc.session?.amr ?? []

type Interaction = InstanceType<Provider['Interaction']>

/**
 * The library's interactions.url, called when the interaction is stored: a step that
 * begins with an email sends it here. The path is that of the interaction's cookie.
 */
export const beginStepIn =
  ({ db, seal, config }: Storage) =>
  async (ctx: KoaContextWithOIDC, { uid, prompt }: Interaction): Promise<string> => {
    if (prompt.name === 'email_otp' || prompt.name === 'verify_email') {
      const tx = await writeHandle(db)
      const { client } = ctx.oidc
      const user = await findEnabledUser(tx, userIdOf(ctx.oidc.session) ?? '', scopeOfClient(client))
      const systemId = client?.tenantry.systemId ?? null // null: /account
      const sending = { uid, systemId, system: applicationOfClient(client), ...countedFor(ctx) }
      if (user) await sendEmailCode(tx, seal, actorOf(ctx), user, sending)
    }
    leadOn(config, ctx, uid)
    const screen = prompt.name === 'login' && isRegistrationDue(ctx, 'any') ? '?screen=register' : ''
    return `/interaction/${uid}${screen}`
  }

const RESUMED = new Set(['resume', 'device_resume'])

/**
 * Each step has an address of its own. The cookie of the step that was completed now names the next one, so
 * that a browser that goes back there is redirected to it (oidc/interaction.ts).
 */
function leadOn(config: Config, ctx: KoaContextWithOIDC, next: string): void {
  const { uid } = ctx.params as { uid?: string }
  if (!RESUMED.has(ctx.oidc.route) || uid === undefined) return
  ctx.cookies.set(ctx.oidc.provider.cookieName('interaction'), next, {
    ...cookieAttributes(config, `/interaction/${uid}`),
    signed: true,
    maxAge: config.TTL_INTERACTION * 1_000,
  })
}
