/** A login at another identity provider with which the browser has returned. */
import type { FastifyReply } from 'fastify'
import { AMR } from '../authentication/assurance.ts'
import { usedMeanwhile } from '../authentication/attempts.ts'
import { noteDevice } from '../authentication/known-devices.ts'
import { failureOf } from '../database/faults.ts'
import type { Scope } from '../http/authority.ts'
import { recordRefused } from '../journal/audit/failures.ts'
import { completeStep, type InteractionParts, placeOf, type SignInStep } from '../oidc/interaction.ts'
import { loginOf } from '../oidc/policy/proofs.ts'
import { insertArtifact } from '../resources/artifacts/queries.ts'
import { touchIdentity } from '../resources/identities/queries.ts'
import { enabledLoginTime, findSignedIn } from '../resources/sign-ins/queries.ts'
import { type FederatedLogin, identityOf } from './link.ts'
import { clearProviderLogin, loginPurpose } from './state.ts'

export type ReturnedLogin = FederatedLogin & { nonce: string }

export const loginEntry = ({ provider, system }: ReturnedLogin) => ({
  action: 'user.login',
  systemId: system?.id ?? null,
  changes: { provider: [null, provider.id] as [unknown, unknown] },
})

/** Uses the login once: false if it was used before. */
export const consumeLogin = (
  { config, seal }: InteractionParts,
  tx: InteractionParts['db'],
  { nonce }: ReturnedLogin,
) =>
  insertArtifact(tx, {
    model: 'SocialState',
    idHash: seal.hash(nonce, 'social:arrival'),
    expiresIn: config.TTL_INTERACTION,
  })

/** Records a sign-in that is refused because of a conflict, and throws the error again. */
export async function recordConflict(
  { parts, request, reply, interaction }: SignInStep,
  returned: ReturnedLogin,
  error: unknown,
): Promise<never> {
  if (failureOf(error)?.code === 'identity_conflict') {
    clearProviderLogin(parts, reply, loginPurpose(interaction.uid))
    const entry = loginEntry(returned)
    const changes = { ...entry.changes, code: [null, 'identity_conflict'] as [unknown, unknown] }
    await recordRefused(parts.db, request.actor, { ...entry, outcome: 'failure', changes })
  }
  throw error
}

/** Signs in the user of a linked identity. */
export async function signInByIdentity(
  step: SignInStep,
  returned: ReturnedLogin,
  { userId, identity }: { userId: string; identity: { id: string; scope: Scope } },
): Promise<FastifyReply> {
  const { parts, request, reply } = step
  const { person, provider, system } = returned
  clearProviderLogin(parts, reply, loginPurpose(step.interaction.uid))
  const user = await findSignedIn(parts.db, userId, placeOf(system).scope)
  if (!user) throw usedMeanwhile()
  const login = loginOf(user, { method: 'social', credential: identity.id, scope: identity.scope })
  const notify = noteDevice(parts, request, reply, user, { system, login: identity, amr: AMR.social })
  return completeStep(
    step,
    { login },
    {
      condition: enabledLoginTime(userId, usedMeanwhile),
      entry: { ...loginEntry(returned), target: { type: 'user', id: userId } },
      actor: { ...request.actor, type: 'user', id: userId },
      async work(tx) {
        const isCurrent =
          (await touchIdentity(tx, identity.id, identityOf(provider, person))) &&
          (await consumeLogin(parts, tx, returned))
        if (!isCurrent) throw usedMeanwhile()
        await notify?.(tx)
      },
    },
  )
}
