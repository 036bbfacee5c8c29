/** News to a person whose password or passkey was used at a place that is new to them. */
import type { FastifyRequest } from 'fastify'
import type { Db } from '../db.ts'
import { networkOf } from '../limits/network.ts'
import { signedInElsewhere } from '../mail/letters.ts'
import { sendMail } from '../mail/send.ts'
import type { Seal } from '../seal.ts'
import { findPlaces } from './queries.ts'

/**
 * A place is a network and a browser by its name; it is known by a session of the last 90 days. Nothing is said of the
 * first sign-in of all. Call it before the sign-in is kept.
 */
export async function tellOfNewPlace(
  tx: Db,
  seal: Seal,
  { actor }: FastifyRequest,
  { userId, systemId }: { userId: string; systemId: string | null },
): Promise<void> {
  const found = await findPlaces(tx, userId, systemId, actor.userAgent)
  const here = networkOf(actor.ip)
  if (!found?.signedInBefore || found.ips.some((ip) => networkOf(ip) === here)) return
  await sendMail(tx, seal, signedInElsewhere(found.reader, found.systemName ?? undefined, actor.ip ?? ''))
}
