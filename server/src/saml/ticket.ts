/**
 * The value that a provider returns beside its response (`RelayState`). It tells which request the response
 * answers without a cookie, which a browser does not send with a form of another site, and without a row.
 * What no ticket of ours comes with is not read.
 */
import { randomBytes } from 'node:crypto'
import { type Seal, sameText } from '../crypto/seal.ts'

export type TicketKind = 'sign-in' | 'test'

/** `requestId`: the attribute `ID` of the request. */
export type Ticket = { kind: TicketKind; requestId: string; issuedAt: Date }

const KINDS: readonly TicketKind[] = ['sign-in', 'test']
/** In bytes: kind, time in seconds since 1970, random value, MAC. */
const [KIND, TIME, RANDOM, MAC] = [1, 4, 16, 24]
const CONTENT = KIND + TIME + RANDOM
const CONTEXT = 'saml-ticket'
/** 60 s, in ms, by which the clocks of two processes may differ. */
const TOLERANCE = 60_000

/** Of the connection too: a ticket of one is none of another. */
const macOf = (seal: Seal, connection: string, content: Buffer): Buffer =>
  seal.hash(JSON.stringify([connection, content.toString('base64url')]), CONTEXT).subarray(0, MAC)

const requestIdOf = (content: Buffer) => `_${content.toString('hex', KIND + TIME)}`

/** 60 characters of the 80 that SAML allows (bindings, section 3.4.3), and the id of the request. */
export function newTicket(
  seal: Seal,
  connection: string,
  kind: TicketKind,
  now: Date,
): { relayState: string; requestId: string } {
  const content = Buffer.alloc(CONTENT)
  content.writeUInt8(KINDS.indexOf(kind))
  content.writeUInt32BE(Math.floor(now.getTime() / 1_000), KIND)
  randomBytes(RANDOM).copy(content, KIND + TIME)
  const relayState = Buffer.concat([content, macOf(seal, connection, content)]).toString('base64url')
  return { relayState, requestId: requestIdOf(content) }
}

/** Undefined unless it is a ticket of this connection that was issued in the last `lifetime` seconds. */
export function readTicket(
  seal: Seal,
  connection: string,
  relayState: string,
  { now, lifetime }: { now: Date; lifetime: number },
): Ticket | undefined {
  const bytes = Buffer.from(relayState, 'base64url')
  if (bytes.length !== CONTENT + MAC || bytes.toString('base64url') !== relayState) return undefined
  const content = bytes.subarray(0, CONTENT)
  const mac = macOf(seal, connection, content)
  if (!sameText(mac.toString('hex'), bytes.toString('hex', CONTENT))) return undefined
  const kind = KINDS[content.readUInt8()]
  const issuedAt = new Date(content.readUInt32BE(KIND) * 1_000)
  const age = now.getTime() - issuedAt.getTime()
  if (!kind || age < -TOLERANCE || age >= lifetime * 1_000) return undefined
  return { kind, requestId: requestIdOf(content), issuedAt }
}
