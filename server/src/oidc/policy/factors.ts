/**
 * What a sign-in has been proven by beyond the password, and what it still owes. A step hands its proof back as the result
 * of its prompt; here it becomes a part of the browser session, so that it counts for every system of that browser until
 * the person signs in anew.
 */
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import {
  AAL2,
  AMR,
  acrOf,
  asksForFactors,
  type FactorMethod,
  hasMailedCode,
} from '../../authentication/assurance.ts'
import { mailCode } from '../../authentication/email-code.ts'
import { writeHandle } from '../../database/transaction.ts'
import { brandOf } from '../provider/clients.ts'
import { actorOf } from '../request-state.ts'
import { findEnabledUser } from '../storage/queries.ts'
import type { Storage } from '../storage/storage.ts'
import { hasFactor } from './claims.ts'

/** What the steps hand back: whose proof it is, since the person may change within a sign-in. */
export type Proofs = {
  email_otp?: { accountId: string }
  second_factor?: { accountId: string; method: FactorMethod }
}

/** 24 hours, in seconds: longer nobody is signed in to a system with requireMfa without proving everything again (NIST SP 800-63B AAL2). */
const FACTORS_MAX = 86_400

/** The `amr` of the browser session, with what this sign-in has added to it. */
function provenBy({ oidc }: KoaContextWithOIDC): readonly string[] {
  const { session } = oidc
  if (!session?.accountId) return []
  const { email_otp, second_factor } = (oidc.result ?? {}) as Proofs
  const amr = new Set(session.amr)
  if (email_otp?.accountId === session.accountId) for (const each of AMR.mailedCode) amr.add(each)
  if (second_factor?.accountId === session.accountId)
    for (const each of AMR[second_factor.method]) amr.add(each)
  if (amr.size !== session.amr?.length) session.amr = [...amr]
  const acr = acrOf([...amr])
  if (session.acr !== acr) session.acr = acr
  return [...amr]
}

/** A mailed code, once in a browser session, for the systems that ask for it. */
export const codeOwed = (ctx: KoaContextWithOIDC): boolean =>
  !hasMailedCode(provenBy(ctx)) && ctx.oidc.client?.require_email_otp === true

/** A second factor: of everybody where the system or the request asks for it, and always of who has one. */
export function factorOwed(ctx: KoaContextWithOIDC): boolean {
  if (acrOf(provenBy(ctx)) === AAL2) return false
  const { client, account, params } = ctx.oidc
  return client?.require_mfa === true || asksForFactors(params?.acr_values) || hasFactor(account)
}

export const isTooOldForFactors = ({ oidc: { session, client, result } }: KoaContextWithOIDC): boolean =>
  client?.require_mfa === true &&
  session?.accountId !== undefined &&
  session.past(FACTORS_MAX) &&
  !result?.login

type Interaction = InstanceType<Provider['Interaction']>

/** The library asks for the address of a step when it has stored it; what begins with the step begins then. */
export const beginStepIn =
  ({ db, seal }: Storage) =>
  async (ctx: KoaContextWithOIDC, { uid, prompt }: Interaction): Promise<string> => {
    if (prompt.name === 'email_otp') {
      const tx = await writeHandle(db)
      const user = await findEnabledUser(tx, ctx.oidc.session?.accountId ?? '')
      const { client } = ctx.oidc
      const sending = { uid, systemId: String(client?.system_id), system: client && brandOf(client) }
      if (user) await mailCode(tx, seal, actorOf(ctx), user, sending)
    }
    return `/interaction/${uid}`
  }
