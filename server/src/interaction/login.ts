/** The login step: an e-mail address and a password, a passkey, or the connections for an address. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AMR } from '../authentication/assurance.ts'
import { usedMeanwhile } from '../authentication/attempts.ts'
import { knownBrowser, noteDevice } from '../authentication/known-devices.ts'
import {
  canMakePasskeys,
  checkAssertion,
  consumePasskey,
  hasPasskeys,
  limitPasskeys,
} from '../authentication/passkey.ts'
import { checkPassword, type LoginWithPassword, TYPED_PASSWORD_MAX } from '../authentication/password.ts'
import { readSignInAddress } from '../authentication/registration-input.ts'
import { Failure } from '../errors.ts'
import { wantsJson } from '../http/forms-and-cookies.ts'
import { ADDRESSES, guarded, limitOf, limitsOfNetworks } from '../http/limits/guard.ts'
import { recordRefused } from '../journal/audit/failures.ts'
import { completeStep, isTestSignIn, placeOf, type SignInStep, systemOf } from '../oidc/interaction.ts'
import { loginOf } from '../oidc/policy/proofs.ts'
import { enabledLoginTime, findEnabledUser, findSignedIn, loginTime } from '../resources/sign-ins/queries.ts'
import type { ClientSystem } from '../resources/systems/queries.ts'
import { type PageState, rejectedState } from '../ui/forms.ts'
import { connectionsOf } from './elsewhere.ts'
import type { LoginState } from './login-view.ts'
import { sendStep, stepForm } from './step.ts'

export const submitLogin = stepForm('/login', 'login', async (step) => {
  const { parts, request } = step
  const credentials = readCredentials(request)
  if ('errors' in credentials) {
    const { email, errors } = credentials
    return sendStep(step, { status: 400, values: { email }, errors })
  }
  const system = await systemOf(step)
  const checked = await checkPassword(parts, request, credentials, placeOf(system))
  if ('user' in checked) return completeLogin(step, checked.user, system)
  const { email } = credentials
  return sendStep(step, {
    values: { email },
    ...rejectedState(request, checked, { form: 'wrongCredentials' }),
  })
})

/**
 * The form of an address alone: leads to the connections for it, or to its password. The answer depends on
 * the domain, not on whether the address has a user.
 */
export const submitAddress = stepForm('/address', 'login', async (step) => {
  const address = readSignInAddress(step.request.body)
  if ('fault' in address)
    return sendStep(step, { status: 400, values: { email: address.typed }, errors: { email: address.fault } })
  const values = { email: address.email }
  const refused = await limitAddresses(step)
  if (refused) return sendStep(step, { values, ...refused })
  const system = await systemOf(step)
  const { connections, hasTooMany } = await connectionsOf(step, system, address.email)
  if (connections.length > 0) return sendStep(step, { values, offers: true })
  const entered = { values, entered: true }
  if (hasTooMany) return sendStep(step, { ...entered, notice: 'connectionsTooMany' })
  return sendStep(step, system?.addressFirst ? entered : { ...entered, notice: 'connectionsNone' })
})

/**
 * The domains that organizations have verified are no secret, but a list of names is not answered at once. A
 * browser in which a user has signed in before does not wait for others of its network, such as an office.
 */
async function limitAddresses({ parts, request }: SignInStep): Promise<LoginState | undefined> {
  const { db, seal } = parts
  const browser = knownBrowser(parts, (name) => request.cookies[name])
  const limits =
    browser === undefined
      ? limitsOfNetworks(seal, 'addresses', ADDRESSES, request.ip)
      : [limitOf(seal, 'addresses', ADDRESSES, 'browser', browser)]
  try {
    await guarded(db, limits, async () => true)
    return undefined
  } catch (error) {
    const isLimit = error instanceof Failure && error.code === 'too_many_requests'
    if (!isLimit || wantsJson(request)) throw error
    const errors = { form: 'tooManyAttempts' } as const
    return { status: 429, errors, retryAfter: error.retryAfter, looksUp: false }
  }
}

/**
 * Completes the login step of a user whose password was verified. `hasDevice`: whether the browser has said,
 * in the form, that its device can create a passkey.
 */
export function completeLogin(
  step: SignInStep,
  verified: LoginWithPassword,
  system: ClientSystem | undefined,
  hasDevice = canMakePasskeys(step.request.body),
): Promise<FastifyReply> {
  const { parts, request, reply } = step
  const { id: credential, scope } = verified.password
  const login = {
    ...loginOf(verified, { method: 'password', credential, scope }),
    ...(hasDevice && isOfferedPasskey(step, verified) && { offersPasskey: true }),
  }
  const target = { type: 'user', id: verified.id }
  return completeStep(
    step,
    { login },
    {
      condition: loginTime(verified, usedMeanwhile),
      entry: { action: 'user.login', target, systemId: system?.id ?? null },
      actor: { ...request.actor, type: 'user', id: verified.id },
      work: noteDevice(parts, request, reply, verified, { system, login: { scope }, amr: AMR.password }),
    },
  )
}

/** A passkey is offered where a person signs in, not where they confirm an action (`max_age`, a device). */
const isOfferedPasskey = ({ parts, interaction }: SignInStep, user: LoginWithPassword): boolean =>
  user.isOfferedPasskey &&
  user.password.scope === null &&
  hasPasskeys(parts.config) &&
  !isTestSignIn(interaction) &&
  interaction.prompt.reasons.some((reason) => NEW_SIGN_IN.has(reason))

/** Why the login is required: the browser has no user, or another one; or the user registers. */
const NEW_SIGN_IN = new Set(['no_session', 'another_user', 'create'])

export const submitPasskeyLogin = stepForm('/passkey', 'login', async (step) => {
  const { parts, request, reply, interaction } = step
  const system = await systemOf(step)
  const systemId = system?.id ?? null
  const { passkey } = (request.body ?? {}) as { passkey?: unknown }
  const verified = await limitPasskeys(parts, request.ip, async () => {
    const { scope } = placeOf(system)
    const checked = await checkAssertion(parts, passkey, { binding: interaction.uid, systemId: scope })
    const user = checked && (await findEnabledUser(parts.db, checked.passkey.userId, scope))
    return user && { checked, by: user }
  })
  if (!verified) {
    const changes = { reason: [null, 'passkey'] as [unknown, unknown] }
    const failure = { action: 'user.login', outcome: 'failure' as const, systemId, changes }
    await recordRefused(parts.db, request.actor, failure)
    return sendStep(step, { status: 401, errors: { form: 'passkeyWrong' } })
  }
  const { checked, by } = verified
  const userId = by.id
  const { id: credential, systemId: validIn } = checked.passkey
  const login = loginOf(by, { method: 'passkey', credential, scope: validIn })
  const user = await findSignedIn(parts.db, userId, placeOf(system).scope)
  // It has verified the user as a second factor does.
  const signIn = { system, login: { scope: validIn }, amr: AMR.passkey, factor: { scope: validIn } }
  const notify = user && noteDevice(parts, request, reply, user, signIn)
  return completeStep(
    step,
    { login },
    {
      condition: enabledLoginTime(userId, usedMeanwhile),
      entry: {
        action: 'user.login',
        target: { type: 'user', id: userId },
        systemId,
        changes: { method: [null, 'passkey'] },
      },
      actor: { ...request.actor, type: 'user', id: userId },
      async work(tx) {
        if (!(await consumePasskey(tx, parts.seal, checked, parts.config.TTL_INTERACTION)))
          throw usedMeanwhile()
        await notify?.(tx)
      },
    },
  )
})

type Credentials = { email: string; password: string }

function readCredentials({
  body,
}: FastifyRequest): Credentials | { email: string; errors: NonNullable<PageState['errors']> } {
  const { password } = (body ?? {}) as { password?: unknown }
  const address = readSignInAddress(body)
  const errors: PageState['errors'] = {}
  if ('fault' in address) errors.email = address.fault
  if (typeof password !== 'string' || password === '') errors.password = 'passwordMissing'
  else if (password.length > TYPED_PASSWORD_MAX) errors.form = 'wrongCredentials'
  const email = 'fault' in address ? address.typed : address.email
  return Object.keys(errors).length > 0 ? { email, errors } : { email, password: String(password) }
}
