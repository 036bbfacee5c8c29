/** The second step of the pages' own sign-in: of who has a factor, before any page opens. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AMR } from '../authentication/assurance.ts'
import { usedMeanwhile } from '../authentication/attempts.ts'
import { welcome } from '../authentication/new-device.ts'
import { assertionOptions, hasPasskeys } from '../authentication/passkey.ts'
import { checkProof, type Proof } from '../authentication/second-factor.ts'
import { inTransaction } from '../database/transaction.ts'
import { sendMail } from '../jobs/email/enqueue.ts'
import { recoveryCodeUsed } from '../jobs/email/messages.ts'
import { signInBrowser } from '../oidc/provider/browser-session.ts'
import { record } from '../resources/audit/record.ts'
import { countRecoveryCodes, findTotp, listPasskeys } from '../resources/factors/queries.ts'
import { lockUser } from '../resources/users/queries.ts'
import { said } from '../ui/i18n/self-service/texts.ts'
import type { Faults } from '../ui/pages/self-service/frame.ts'
import { ownFactorPage } from './sign-in-pages.ts'
import {
  demandPerson,
  fieldOf,
  meanwhile,
  nextOf,
  OWN,
  type OwnParts,
  owedBy,
  type Standing,
  sendPage,
} from './signed-in.ts'

export const secondFactorRoutes: FastifyPluginAsyncTypebox<OwnParts> = async (app, parts) => {
  app.get('/account/second-factor', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, { owing: 'factor' })
    if (!there) return reply
    const next = nextOf((request.query as { next?: unknown }).next)
    if (owedBy(there) !== 'factor') return reply.redirect(next, 303)
    return sendFactor(parts, reply, there, next, {})
  })

  app.post('/account/second-factor', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, { owing: 'factor' })
    if (!there) return reply
    const next = nextOf(fieldOf(request, 'next'))
    if (owedBy(there) !== 'factor') return reply.redirect(next, 303)
    const fields = (request.body ?? {}) as Record<string, unknown>
    const shown = { userId: there.user.id, binding: there.session.jti, systemId: null, fields }
    const proof = await checkProof(parts, request, shown)
    if ('screen' in proof) {
      if (proof.screen.retryAfter !== undefined) reply.header('retry-after', String(proof.screen.retryAfter))
      return sendFactor(
        parts,
        reply.code(proof.screen.status ?? 401),
        there,
        next,
        said(proof.screen, there.locale),
      )
    }
    await keepProof(parts, request, reply, there, proof)
    return reply.redirect(next, 303)
  })
}

/** Adds what was proven to the browser session, under another id. */
async function keepProof(
  parts: OwnParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, user, actor }: Standing,
  { method, use }: Proof,
): Promise<void> {
  await inTransaction(parts.db, async (tx) => {
    const person = await lockUser(tx, {}, user.id) // first, as everybody who changes one does
    if (person.disabled || !(await use(tx))) throw usedMeanwhile()
    await welcome(tx, parts, request, reply, { userId: user.id, systemId: null, amr: AMR[method] })
    const amr = [...new Set([...(session.amr ?? []), ...AMR[method]])]
    const proven = { accountId: user.id, amr, loginTs: session.loginTs }
    if (!(await signInBrowser(parts, request, reply, session, proven))) throw meanwhile()
    const changes = { method: [null, method] as [unknown, unknown] }
    await record(tx, actor, { action: 'user.second_factor', target: { type: 'user', id: user.id }, changes })
    if (method !== 'recoveryCode') return
    await sendMail(tx, parts.seal, recoveryCodeUsed(person, undefined, await countRecoveryCodes(tx, user.id)))
  })
}

async function sendFactor(
  parts: OwnParts,
  reply: FastifyReply,
  { session, user, csrf, locale }: Standing,
  next: string,
  errors: Faults,
): Promise<FastifyReply> {
  const { db, config } = parts
  const totp = (await findTotp(db, user.id)) !== undefined
  const keys = await listPasskeys(db, user.id)
  const recoveryCodes = (await countRecoveryCodes(db, user.id)) > 0
  const passkey =
    hasPasskeys(config) && keys.length > 0 ? assertionOptions(parts, session.jti, keys) : undefined
  const page = ownFactorPage({ locale, csrf, next, totp, recoveryCodes, passkey, errors })
  return sendPage(reply, page)
}
