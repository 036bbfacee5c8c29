/**
 * An identity is linked to an existing user by a code that is emailed to the user's address in the same
 * sign-in. The responses are the same for an address without a user. At /account and in the systems of the
 * platform only the password is accepted.
 */

import type { FastifyReply } from 'fastify'
import { usedMeanwhile } from '../authentication/attempts.ts'
import { checkEmailCode, sendEmailCode } from '../authentication/email-code.ts'
import { withMailLimit } from '../authentication/registration.ts'
import { readCode } from '../authentication/totp.ts'
import type { Db } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { storedAddress } from '../email-address.ts'
import { Failure } from '../errors.ts'
import { EVERYTHING } from '../http/authority.ts'
import { wantsJson } from '../http/forms-and-cookies.ts'
import { reserveEmail } from '../jobs/email/budget.ts'
import { placeOf, type SignInStep } from '../oidc/interaction.ts'
import { consumeCode } from '../resources/credentials/codes.ts'
import { type EnabledUser, findEnabledUser, findLogin } from '../resources/sign-ins/queries.ts'
import type { ClientSystem } from '../resources/systems/queries.ts'
import { lockUser, lockUserOf, type User, type Waits } from '../resources/users/queries.ts'
import { verifyMailbox } from '../resources/users/verify-mailbox.ts'
import { rejectedState } from '../ui/forms.ts'
import { identityOf, linkOnly } from './link.ts'
import { sendLink } from './link-page.ts'
import { type ReturnedLogin, recordConflict, signInByIdentity } from './returned-login.ts'

/** Whether a code is accepted instead of a password. */
export const acceptsCode = (system: ClientSystem | undefined): system is ClientSystem =>
  placeOf(system).scope !== null

/** Emails a code to the user of an address, if there is one. */
export async function sendLinkCode(
  step: SignInStep,
  { provider }: ReturnedLogin,
  system: ClientSystem,
  typed: string,
): Promise<FastifyReply> {
  const { parts, request, interaction } = step
  const values = { email: typed }
  const email = storedAddress(typed)
  if (email === undefined)
    return sendLink(step, provider, { status: 400, values, errors: { email: 'emailInvalid' } })
  const send = async (tx: Db, waits: Waits) => {
    const known = await lockUserOf(tx, email, waits)
    const user = known && (await linkableUser(tx, known, system))
    if (!user || (await reserveEmail(tx, parts.seal, email, 'anonymous')) > 0) return
    const sending = { uid: interaction.uid, systemId: system.id, system, isAnonymous: true }
    await sendEmailCode(tx, parts.seal, request.actor, user, sending)
  }
  try {
    await withMailLimit(parts, request, (waits) => inTransaction(parts.db, (tx) => send(tx, waits)))
  } catch (error) {
    const isLimit = error instanceof Failure && error.code === 'too_many_requests'
    if (!isLimit || wantsJson(request)) throw error
    const { retryAfter } = error
    return sendLink(step, provider, { status: 429, values, errors: { form: 'tooManyAttempts' }, retryAfter })
  }
  return sendLink(step, provider, { values: { email }, byCode: true })
}

/**
 * The user, if an identity can be linked by a code: not if a second factor limits the identity to a system of
 * which the user is none.
 */
const linkableUser = async (
  tx: Db,
  { id, mfaEnabled }: Pick<User, 'id' | 'mfaEnabled'>,
  system: ClientSystem,
) => {
  const user = await findEnabledUser(tx, id, system.id)
  return user && (!mfaEnabled || user.isInSystem) ? user : undefined
}

/** Links the identity and signs in, if the code is right. */
export async function linkByCode(
  step: SignInStep,
  returned: ReturnedLogin,
  system: ClientSystem,
  { email, code: sent }: { email: string; code: unknown },
): Promise<FastifyReply> {
  const { parts, request, interaction } = step
  const { provider, person } = returned
  const state = { values: { email }, byCode: true }
  const code = readCode(sent)
  if (!code) return sendLink(step, provider, { ...state, status: 400, errors: { code: 'codeMissing' } })
  const address = storedAddress(email) ?? ''
  const known = await findLogin(parts.db, address, system.id)
  const user: EnabledUser | undefined = known && (await findEnabledUser(parts.db, known.id, system.id))
  const signIn = { userId: user?.id ?? null, uid: interaction.uid, systemId: system.id, address }
  const checked = await checkEmailCode(parts, request, signIn, code)
  if ('rejected' in checked || !user)
    return sendLink(step, provider, {
      ...state,
      ...rejectedState(request, 'rejected' in checked ? checked : { rejected: 'wrong' }, {
        code: 'codeWrong',
      }),
    })
  const actor = { ...request.actor, type: 'user' as const, id: user.id }
  const identity = await inTransaction(parts.db, async (tx) => {
    const before = await lockUser(tx, EVERYTHING, user.id)
    if (before.disabled || !(await consumeCode(tx, checked.verified))) throw usedMeanwhile()
    const verified = await verifyMailbox(tx, actor, before)
    // The second factor is not verified yet: until then the identity is one of the system.
    const scope = before.mfaEnabled ? system.id : null
    const linking = { identity: identityOf(provider, person), scope, providerName: provider.name, system }
    return { id: await linkOnly(tx, parts.seal, actor, verified, linking), scope }
  }).catch((error: unknown) => recordConflict(step, returned, error))
  return signInByIdentity(step, returned, { userId: user.id, identity })
}
