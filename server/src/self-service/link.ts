/**
 * A person links another identity provider. GET …/link/<provider> sends them there; who comes back stands on a page of ours,
 * by their address there, and is linked by its form: the person is proven on both sides, and no address is compared. What
 * came back is bound to the browser session and the person (social/cookies.ts): to anybody else it is nothing.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SocialProvider } from '../config/identity-providers.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure, failureOf } from '../errors.ts'
import { sendAway } from '../federation/authorization.ts'
import { identityOf } from '../federation/link.ts'
import type { Providers } from '../federation/providers.ts'
import { type Arrival, arrivalOf, forgetArrival, type Purpose } from '../federation/state.ts'
import { wantsJson } from '../http/forms.ts'
import { isSameOrigin } from '../http/same-origin.ts'
import { insertArtifact } from '../resources/artifacts/queries.ts'
import { record } from '../resources/audit/record.ts'
import { linkIdentity } from '../resources/identities/link.ts'
import { lockUser } from '../resources/users/queries.ts'
import { linkPage } from '../ui/pages/self-service/link.ts'
import { demandPerson, meanwhile, OWN, type OwnParts, type Standing, sendPage } from './signed-in.ts'

const RECENT = { recent: true } as const
const PAGE = '/account/security'
const PATH = `${PAGE}/link`

const linking = ({ session, user }: Standing): Purpose => ({
  page: PAGE,
  path: PATH,
  bound: `${session.uid}.${user.id}`,
  userId: user.id,
})

/** Why nothing was linked, and how the page says so. */
const REFUSED = { identity_taken: 'linkTaken', identity_linked: 'linkedAlready' } as const

type Back = Arrival & { from: SocialProvider }
export type LinkParts = OwnParts & { providers: Providers }

export const linkRoutes: FastifyPluginAsyncTypebox<LinkParts> = async (app, parts) => {
  const { db, seal, config, providers } = parts

  app.get(`${PATH}/:provider`, OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, RECENT)
    if (!there) return reply
    const provider = providers.find((request.params as { provider: string }).provider)
    if (!provider) throw new Failure('not_found')
    if (!isSameOrigin(request, config.BASE_URL)) return reply.redirect(PAGE, 303)
    return sendAway(parts, request, reply, provider, linking(there))
  })

  app.get(PATH, OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, RECENT)
    if (!there) return reply
    const back = backAt(request, there)
    if (!back) return reply.redirect(PAGE, 303)
    return sendPage(
      reply,
      linkPage({ ...there, action: PATH, cancel: PAGE, provider: back.from.name, person: back.person }),
    )
  })

  app.post(PATH, OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, RECENT)
    if (!there) return reply
    const back = backAt(request, there)
    const done = back ? await linkOf(request, reply, there, back) : 'linkLost'
    return reply.redirect(`${PAGE}?done=${done}`, 303)
  })

  function backAt(request: FastifyRequest, there: Standing): Back | undefined {
    const arrival = arrivalOf(parts, request, linking(there))
    const from = providers.find(arrival?.provider)
    return arrival && from && { ...arrival, from }
  }

  async function linkOf(
    request: FastifyRequest,
    reply: FastifyReply,
    there: Standing,
    { nonce, from, person }: Back,
  ) {
    const { actor, user } = there
    forgetArrival(parts, reply, linking(there))
    try {
      return await inTransaction(db, async (tx) => {
        const before = await lockUser(tx, {}, user.id)
        if (before.disabled) throw meanwhile()
        const isFirst = await insertArtifact(tx, {
          model: 'SocialState',
          idHash: seal.hash(nonce, 'social:arrival'),
          expiresIn: config.TTL_INTERACTION,
        })
        if (!isFirst) return 'linkLost'
        await linkIdentity(tx, seal, actor, before, {
          identity: identityOf(from, person),
          providerName: from.name,
        })
        return 'linked'
      })
    } catch (error) {
      const code = failureOf(error)?.code
      if (code !== 'identity_taken' && code !== 'identity_linked') throw error
      const changes = { provider: [null, from.id], code: [null, code] } as Record<string, [unknown, unknown]>
      const target = { type: 'user', id: user.id }
      await record(db, actor, { action: 'user.identity_linked', outcome: 'failure', target, changes })
      if (wantsJson(request)) throw error
      return user.identities.some(({ provider }) => provider === from.id)
        ? REFUSED.identity_linked
        : REFUSED[code]
    }
  }
}
