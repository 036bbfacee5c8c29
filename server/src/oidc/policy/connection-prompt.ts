/**
 * The step `connection`: in a closed membership the user logs in by a connection of the organization. It
 * comes before the login, which would ask for a password; it is due once the account is known.
 */
import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import type { Db } from '../../database/database.ts'
import { readHandle } from '../../database/transaction.ts'
import type { Choice } from './account-choice.ts'
import { isConnectionRequired, isLoginRequired, isTooOldForDevice, type Owing } from './owed.ts'
import { owingOf } from './owing.ts'
import { recordRefusedSignIn } from './refused-sign-ins.ts'
import { currentMember, guardFaults, requestState, sessionIdFor } from './request-state.ts'

const { Check, Prompt } = interactionPolicy

/** The reasons `max_age` and `device` decide how recent the login at the provider has to be. */
export const connectionPrompt = (db: Db) =>
  new Prompt(
    { name: 'connection' },
    detailsOf,
    asked('closed', async (owing, ctx) => {
      const isDue = isConnectionRequired(owing)
      if (
        isDue &&
        isVoid(owing.choice) &&
        owing.request.hasLoggedIn &&
        !owing.request.hasLoggedInByConnection
      )
        await recordRefusedSignIn(db, ctx, 'exempt_without_factor')
      return isDue
    }),
    asked('max_age', isLoginRequired),
    asked('device', isTooOldForDevice),
    asked('session_ended', async ({ request }, ctx) => {
      return request.hasLoggedInByConnection !== true && (await hasEndedSession(db, ctx))
    }),
  )

/** The member is exempt, and has no second factor for it. */
const isVoid = (choice: Choice | undefined): boolean =>
  choice?.kind === 'selected' && choice.membership.exemption === 'without_factor'

type IsDue = (owing: Owing, ctx: KoaContextWithOIDC) => boolean | Promise<boolean>

const asked = (reason: string, isDue: IsDue) =>
  new Check(
    reason,
    'a login by a connection of the organization is required',
    'login_required',
    guardFaults(async (ctx: KoaContextWithOIDC) => {
      const owing = owingOf(ctx)
      return owing.isClosed === true && (await isDue(owing, ctx))
    }),
  )

/** Whether the session that the browser has with the client has ended. */
export async function hasEndedSession(db: Db, ctx: KoaContextWithOIDC): Promise<boolean> {
  const { session, client } = ctx.oidc
  if (sessionIdFor(session, client) === undefined) return false
  return (await currentMember(ctx, await readHandle(db))) === undefined
}

/** The details of the prompt `connection`. */
export type ConnectionDetails = {
  account: { id: string; name: string }
  /** The member is exempt, and has no second factor that counts for it. */
  reason?: 'exempt_without_factor'
}

function detailsOf(ctx: KoaContextWithOIDC): Partial<ConnectionDetails> {
  const { choice } = requestState(ctx)
  if (choice?.kind !== 'selected') return {}
  const { accountId: id, accountName: name } = choice.membership
  return { account: { id, name }, ...(isVoid(choice) && { reason: 'exempt_without_factor' }) }
}
