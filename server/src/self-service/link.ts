/**
 * Links another identity provider. GET …/link/<provider> redirects to the provider; the callback
 * leads to a page that displays the identity, and its form links it. The user is authenticated on
 * both sides, and e-mail addresses are not compared. The identity is bound to the browser session and
 * the user (federation/state.ts).
 */

import { isIssuerOf, type SocialProvider } from '../config/identity-providers.ts'
import { failureOf } from '../database/faults.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { startAuthorization } from '../federation/authorization.ts'
import { identityOf } from '../federation/link.ts'
import {
  type AuthorizationPurpose,
  clearProviderLogin,
  type ProviderLogin,
  readProviderLogin,
} from '../federation/state.ts'
import { EVERYTHING } from '../http/authority.ts'
import { isSameOrigin, wantsJson } from '../http/forms-and-cookies.ts'
import { record } from '../journal/audit/record.ts'
import { insertArtifact } from '../resources/artifacts/queries.ts'
import { linkIdentity } from '../resources/identities/link.ts'
import { lockUser } from '../resources/users/queries.ts'
import { linkPage } from '../ui/pages/self-service/link.ts'
import { changedMeanwhile, type SignedIn, sendPage, type Visit, visitForm, visitPage } from './signed-in.ts'

const PAGE = '/account/security'
const PATH = `${PAGE}/link`

const linking = ({ session, user }: SignedIn): AuthorizationPurpose => ({
  page: PAGE,
  path: PATH,
  bound: `${session.uid}.${user.id}`,
  userId: user.id,
})

/** The notices of a refused link. */
const REFUSED = { identity_taken: 'linkTaken', identity_linked: 'linkedAlready' } as const

type Returned = ProviderLogin & { from: SocialProvider }

export const startLink = visitPage(
  `${PATH}/:provider`,
  (visit) => {
    const { parts, request, reply } = visit
    const provider = parts.providers.find((request.params as { provider: string }).provider)
    if (!provider) throw new Failure('not_found')
    if (!isSameOrigin(request, parts.config.BASE_URL)) return reply.redirect(PAGE, 303)
    return startAuthorization(parts, request, reply, provider, linking(visit))
  },
  'recent',
)

export const showLink = visitPage(
  PATH,
  (visit) => {
    const returned = returnedOf(visit)
    if (!returned) return visit.reply.redirect(PAGE, 303)
    const { reader, csrf, user } = visit
    const { from, person } = returned
    const shown = { ...reader, csrf, user, action: PATH, cancel: PAGE, provider: from.name, identity: person }
    return sendPage(visit, linkPage(shown))
  },
  'recent',
)

export const submitLink = visitForm(
  PATH,
  async (visit) => {
    const returned = returnedOf(visit)
    const done = returned ? await linkReturned(visit, returned) : 'linkLost'
    return visit.reply.redirect(`${PAGE}?done=${done}`, 303)
  },
  'recent',
)

function returnedOf(visit: Visit): Returned | undefined {
  const { parts, request } = visit
  const arrival = readProviderLogin(parts, request, linking(visit))
  const from = parts.providers.find(arrival?.provider)
  return arrival && from && { ...arrival, from }
}

/** The notice that the page shows next. */
async function linkReturned(visit: Visit, { nonce, from, person }: Returned): Promise<string> {
  const { parts, request, reply, actor, user } = visit
  const { db, seal, config } = parts
  clearProviderLogin(parts, reply, linking(visit))
  try {
    return await inTransaction(db, async (tx) => {
      const before = await lockUser(tx, EVERYTHING, user.id)
      if (before.disabled) throw changedMeanwhile()
      const isFirst = await insertArtifact(tx, {
        model: 'SocialState',
        idHash: seal.hash(nonce, 'social:arrival'),
        expiresIn: config.TTL_INTERACTION,
      })
      if (!isFirst) return 'linkLost'
      const identity = identityOf(from, person)
      await linkIdentity(tx, seal, actor, before, { identity, scope: null, providerName: from.name })
      return 'linked'
    })
  } catch (error) {
    const code = failureOf(error)?.code
    if (code !== 'identity_taken' && code !== 'identity_linked') throw error
    const changes = { provider: [null, from.id], code: [null, code] } as Record<string, [unknown, unknown]>
    const target = { type: 'user', id: user.id }
    await record(db, actor, { action: 'user.identity_linked', outcome: 'failure', target, changes })
    if (wantsJson(request)) throw error
    const isLinked = user.identities.some(({ issuer }) => isIssuerOf(from, issuer))
    return isLinked ? REFUSED.identity_linked : REFUSED[code]
  }
}
