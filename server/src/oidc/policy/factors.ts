/**
 * The factors of a sign-in beyond the password: those verified and those still required. A step returns what
 * it verified as the result of its prompt; here it is added to the browser session, so that it is valid for
 * every system in that browser until the user signs in again.
 */
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import {
  AAL2,
  AMR,
  acrOf,
  asksForFactors,
  type FactorMethod,
  hasMailedCode,
  RECENT,
} from '../../authentication/assurance.ts'
import { sendEmailCode } from '../../authentication/email-code.ts'
import { writeHandle } from '../../database/transaction.ts'
import { userIdOf } from '../library-ids.ts'
import { brandOf } from '../provider/clients.ts'
import { actorOf } from '../request-state.ts'
import { findEnabledUser } from '../storage/queries.ts'
import type { Storage } from '../storage/storage.ts'
import { hasFactor } from './claims.ts'
import { isByEmailCode, isReauthenticationCodeRequired } from './reauthentication.ts'

/** The results of the steps. `accountId`, the library's name of the user id, may change within a sign-in. */
export type FactorResults = {
  /** `ts`: epoch seconds. */
  email_otp?: { accountId: string; ts: number }
  second_factor?: { accountId: string; method: FactorMethod }
}

/**
 * 24 hours, in seconds: then a system with requireMfa requires authentication with all
 * factors again (NIST SP 800-63B AAL2).
 */
const FACTORS_MAX = 86_400

/** The `amr` of the browser session, including the methods verified in this sign-in. */
function verifiedMethods(ctx: KoaContextWithOIDC): readonly string[] {
  const { session, result } = ctx.oidc
  const userId = userIdOf(session)
  if (!session || !userId) return []
  const { email_otp, second_factor } = (result ?? {}) as FactorResults
  let amr = new Set(session.amr)
  if (email_otp && userIdOf(email_otp) === userId) {
    if (isByEmailCode(ctx)) {
      amr = new Set() // a re-authentication replaces what was verified before, as a login does
      session.loginTs = email_otp.ts
    }
    for (const each of AMR.mailedCode) amr.add(each)
  }
  if (second_factor && userIdOf(second_factor) === userId)
    for (const each of AMR[second_factor.method]) amr.add(each)
  if (amr.symmetricDifference(new Set(session.amr)).size > 0) session.amr = [...amr]
  const acr = acrOf([...amr])
  if (session.acr !== acr) session.acr = acr
  return [...amr]
}

/** A code by email: once in a browser session for systems with requireEmailOtp, or as re-authentication. */
export function isEmailCodeRequired(ctx: KoaContextWithOIDC): boolean {
  const amr = verifiedMethods(ctx)
  if (ctx.oidc.client?.require_email_otp === true && !hasMailedCode(amr)) return true
  return isReauthenticationCodeRequired(ctx)
}

/**
 * A second factor: for every user if the system or the request requires it, and
 * always for a user who has one.
 */
export function isFactorRequired(ctx: KoaContextWithOIDC): boolean {
  if (acrOf(verifiedMethods(ctx)) === AAL2) return false
  const { client, account, params } = ctx.oidc
  return client?.require_mfa === true || asksForFactors(params?.acr_values) || hasFactor(account)
}

/** A first factor is enrolled only after a recent login, as on /account: a passkey signs in by itself. */
const isTooOldToEnroll = (ctx: KoaContextWithOIDC): boolean =>
  ctx.oidc.session?.past(RECENT) === true && !hasFactor(ctx.oidc.account) && isFactorRequired(ctx)

export const isTooOldForFactors = (ctx: KoaContextWithOIDC): boolean => {
  const { session, client, result } = ctx.oidc
  if (userIdOf(session) === undefined || result?.login) return false
  return (client?.require_mfa === true && session?.past(FACTORS_MAX) === true) || isTooOldToEnroll(ctx)
}

type Interaction = InstanceType<Provider['Interaction']>

/**
 * The library's interactions.url, called when the interaction is stored: a step that
 * begins with an email sends it here.
 */
export const beginStepIn =
  ({ db, seal }: Storage) =>
  async (ctx: KoaContextWithOIDC, { uid, prompt }: Interaction): Promise<string> => {
    if (prompt.name === 'email_otp') {
      const tx = await writeHandle(db)
      const user = await findEnabledUser(tx, userIdOf(ctx.oidc.session) ?? '')
      const { client } = ctx.oidc
      const systemId = client?.system_id === undefined ? null : String(client.system_id) // null: /account
      const system = client && systemId !== null ? brandOf(client) : undefined
      const sending = { uid, systemId, system }
      if (user) await sendEmailCode(tx, seal, actorOf(ctx), user, sending)
    }
    return `/interaction/${uid}`
  }
