/** What follows when a person has proven all they have: news of a place that is new to them, and their browser is known. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { networkOf } from '../http/limits/network.ts'
import { reserve } from '../http/limits/queries.ts'
import { limitOf, NEW_PLACES } from '../http/limits/rules.ts'
import { findAddresses, findArrival } from '../interaction/queries.ts'
import { sendMail } from '../jobs/email/enqueue.ts'
import { newSignIn } from '../jobs/email/messages.ts'
import { AAL2, acrOf } from './assurance.ts'
import { knownBrowser, rememberBrowser } from './known-devices.ts'

type Parts = { seal: Seal; config: Config }
/** `amr`: what was proven in this sign-in. */
type Arrival = { userId: string; systemId: string | null; amr: readonly string[] }

/**
 * A letter to who signs in from a new place, and the cookie by which their browser is known. A place is a network and a
 * browser by its name, known by a session of the last 90 days that is among the person's newest hundred; a known browser is
 * at home anywhere. Nothing is said of the first sign-in of all. Where a second factor is owed still nothing happens: its
 * step calls this too. What only a system asks for (a mailed code) is not waited for, since the browser is signed in to
 * others without. Call it before the sign-in is kept (touchLogin, touchEnabled); it holds the user.
 */
export async function welcome(
  tx: Db,
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  { userId, systemId, amr }: Arrival,
): Promise<void> {
  const found = await findArrival(tx, userId, systemId)
  if (!found || (found.hasFactor && acrOf(amr) !== AAL2)) return
  const known = knownBrowser(parts, request, found.login)
  rememberBrowser(parts, request, reply, found.login)
  if (known || !found.signedInBefore) return
  const { actor } = request
  const here = networkOf(actor.ip)
  if ((await findAddresses(tx, userId, actor.userAgent)).some((ip) => networkOf(ip) === here)) return
  if (!(await reserve(tx, limitOf(parts.seal, 'new-place', NEW_PLACES, userId)))) return
  await sendMail(tx, parts.seal, newSignIn(found.reader, found.system ?? undefined, actor.ip ?? ''))
}
