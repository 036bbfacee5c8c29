/**
 * The order of a sign-in, one prompt after the other. Each check asks only whether its own step is still owed; no step
 * calls another, and every step ends by going back to the library, which runs through this list again.
 *
 *   login           who are you                      (password or passkey)
 *   verify_email    who registered, or is about to join, has to prove the address
 *   change_password an administrator has set the password: another one is chosen
 *   email_otp       a code that is mailed            (systems with requireEmailOtp)
 *   second_factor   an authenticator app or a passkey, enrolled here by who has none
 *   join            not a member yet of a system that is open to all: become one?
 *   access          pending or blocked: says so and ends
 *   select_account  which account, when several are possible
 *   consent         may the application have this
 *   open            nothing to ask: opens the session (a grant bound to the chosen membership)
 */
import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import type { Db } from '../../database/database.ts'
import { readHandle } from '../../database/transaction.ts'
import { guardFaults } from '../provider/faults.ts'
import { choiceOf } from './account-choice.ts'
import { hasDuty, hasVerifiedEmail, isUnproven } from './claims.ts'
import { codeOwed, factorOwed, isTooOldForFactors } from './factors.ts'
import { openSession } from './grants.ts'
import { heldMember } from './members.ts'

const { Check, Prompt, base } = interactionPolicy

export function prompts(db: Db): interactionPolicy.DefaultPolicy {
  const policy = base()
  const login = policy.get('login')
  const consent = policy.get('consent')
  if (!login || !consent) throw new Error('the library has lost a prompt')

  login.checks.add(
    new Check(
      'person_gone',
      'End-User authentication is required',
      'login_required',
      (ctx) => ctx.oidc.session?.accountId !== undefined && !ctx.oidc.account,
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
  login.checks.add(
    new Check('session_old', 'End-User authentication is required', 'login_required', (ctx) =>
      isTooOldForFactors(ctx),
    ),
  )
  // A consent that is remembered stands for a native client too: what it protects (RFC 8252 section 8.6) was asked once.
  consent.checks.remove('native_client_prompt')
  consent.checks.remove('consent_prompt')
  consent.checks.add(
    new Check('consent_prompt', 'consent prompt was not resolved', 'consent_required', consentAsked),
    0,
  )
  consent.details = consentOf

  for (const [index, prompt] of stepsBetween().entries()) policy.add(prompt, index + 1)
  policy.add(
    new Prompt(
      { name: 'open' },
      new Check('opened', 'the session could not be opened', async (ctx) => {
        await openSession(ctx)
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
    new Check('email_unproven', 'the person has to confirm the e-mail address', (ctx) => addressOwed(ctx)),
  ),
  new Prompt(
    { name: 'change_password' },
    new Check('password_not_own', 'the person has to choose a password', (ctx) => hasDuty(ctx.oidc.account)),
  ),
  new Prompt(
    { name: 'email_otp' },
    new Check('code_owed', 'a code that is mailed has to be typed', (ctx) => codeOwed(ctx)),
  ),
  new Prompt(
    { name: 'second_factor' },
    new Check('factor_owed', 'a second factor has to be shown', (ctx) => factorOwed(ctx)),
  ),
  new Prompt(
    { name: 'join' },
    new Check('not_member', 'the user has no active membership', 'access_denied', (ctx) => mayJoin(ctx)),
  ),
  new Prompt(
    { name: 'access' },
    new Check('no_access', 'the person has no active membership', 'access_denied', accessRefused, refusalOf),
  ),
  new Prompt(
    { name: 'select_account', requestable: true },
    placesOf,
    new Check('several_accounts', 'an account has to be chosen', (ctx) => choiceOf(ctx)?.kind === 'several'),
  ),
]

/** A session that was ended by us is not revived by the browser's: the person signs in anew. Other systems' go on. */
async function sessionEnded(db: Db, ctx: KoaContextWithOIDC): Promise<boolean> {
  const { session, client, result } = ctx.oidc
  if (!session?.accountId || !client || result?.login) return false
  if (session.grantIdFor(client.clientId) === undefined) return false
  return (await heldMember(ctx, await readHandle(db))) === undefined
}

/** Not a member of a system that takes people who come by themselves. */
const mayJoin = (ctx: KoaContextWithOIDC): boolean => {
  const choice = choiceOf(ctx)
  return choice?.kind === 'refused' && choice.reason === 'none' && ctx.oidc.client?.open === true
}

const addressOwed = (ctx: KoaContextWithOIDC): boolean =>
  isUnproven(ctx.oidc.account) || (mayJoin(ctx) && !hasVerifiedEmail(ctx.oidc.account))

/** Missing and foreign end at once; the person is told of pending and blocked. */
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

/** What the selector shows; also when it was asked for and there is one account only. */
function placesOf(ctx: KoaContextWithOIDC): Record<string, unknown> {
  const choice = choiceOf(ctx)
  const places = choice?.kind === 'several' ? choice.places : choice?.kind === 'place' ? [choice.place] : []
  return {
    accounts: places.map(({ accountId, accountName, accountKind }) => ({
      id: accountId,
      name: accountName,
      kind: accountKind,
    })),
  }
}

/** prompt=consent, but of a first-party system: it never asks. */
function consentAsked(ctx: KoaContextWithOIDC): boolean {
  const { prompts, client } = ctx.oidc
  return client?.skip_consent !== true && prompts.has('consent') && ctx.oidc.promptPending('consent')
}

/** What the person is asked to allow, and for which account. */
function consentOf(ctx: KoaContextWithOIDC): Record<string, unknown> {
  const choice = choiceOf(ctx)
  const account =
    choice?.kind === 'place' ? { id: choice.place.accountId, name: choice.place.accountName } : undefined
  return { account, scopes: [...ctx.oidc.requestParamScopes] }
}
