/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header) on every POST of the admin API: a request
 * that a caller repeats under the same key, one after the other or concurrently, is executed once, and every
 * repeat gets the stored response. The key, the change and the response are written in one transaction. A
 * request that fails stores nothing, so a repeat is executed again.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { isDatabaseFault } from '../../database/faults.ts'
import { inTransactionContext } from '../../database/transaction.ts'
import { Failure, invalid } from '../../errors.ts'
import type { Caller } from '../authority.ts'
import { type Claim, claimKey, findAnswer, type StoredAnswer, storeAnswer } from './queries.ts'

/** A day, in seconds. */
const LIFETIME = 86_400
/**
 * Printable ASCII without the space: two headers would be joined by one. The
 * draft's quotes are part of the key.
 */
const KEY = /^[\x21-\x7e]{1,255}$/

type Parts = { db: Db; seal: Seal }

/** The body as it is sent; empty if there is none. */
type Answer = { status: number; text: string }

/** Call it before the routes are registered. */
export function acceptIdempotencyKeys(admin: FastifyInstance, parts: Parts): void {
  admin.addHook('onRoute', (route) => {
    if (route.method !== 'POST') return
    const { handler } = route
    route.handler = async function idempotent(request, reply) {
      const key = keyOf(request)
      if (key === undefined) return handler.call(this, request, reply)
      const { answer, replayed } = await executeOnce(parts, claimOf(parts.seal, request, key), () =>
        captureAnswer(handler.bind(this), request, reply),
      )
      if (replayed) reply.header('idempotency-replayed', 'true')
      reply.code(answer.status)
      return answer.text === ''
        ? reply.send(null)
        : reply.type('application/json; charset=utf-8').send(answer.text)
    }
  })
}

function keyOf({ headers, body }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !KEY.test(key))
    throw invalid('/headers/idempotency-key', 'must be 1 to 255 printable ASCII characters, without spaces')
  if (body instanceof Readable)
    throw invalid('/headers/idempotency-key', 'is not supported by an operation that reads a stream')
  return key
}

/** The hash of the request is keyed, since a body may contain a password. */
const claimOf = (seal: Seal, { caller, method, url, body }: FastifyRequest, key: string): Claim => ({
  owner: ownerOf(caller),
  key,
  requestHash: seal.hash(JSON.stringify([method, url, body ?? null]), 'idempotency'),
})

/** Two callers with the same key do not affect each other, nor does a caller whose authority has changed. */
const ownerOf = ({ authority, actor, systemId, accountId }: Caller) =>
  [authority, actor.type, actor.id, systemId, accountId ?? '-', actor.via ?? '-'].join(' ')

const sealContext = ({ owner, key }: Claim) => `idempotency:${owner} ${key}`

/** Thrown to end the handler of a request whose response is already stored. */
const ANSWERED = new Error('the response to this request is already stored')

/**
 * Returns the stored response, or executes `work` and returns its response. The first transaction in `work`
 * first claims the key, so a concurrent repeat waits; the response is stored in the same transaction before
 * it commits. Work before that transaction, such as hashing a password, runs outside a transaction.
 */
async function executeOnce(
  { db, seal }: Parts,
  claim: Claim,
  work: () => Promise<Answer>,
): Promise<{ answer: Answer; replayed: boolean }> {
  let stored = await findAnswer(db, claim)
  if (stored) return { answer: openAnswer(seal, claim, stored), replayed: true }
  const onOpen = async (tx: Db) => {
    stored = await claimKey(tx, claim, LIFETIME)
    if (stored) throw ANSWERED
  }
  try {
    return await inTransactionContext(
      db,
      async (context) => {
        const answer = await work()
        const sealedAnswer = seal.seal(answer.text, sealContext(claim))
        await storeAnswer(await context.write(), claim, { status: answer.status, sealedAnswer })
        return { answer, replayed: false }
      },
      { onOpen },
    )
  } catch (error) {
    // This is so also when `work` failed before its transaction: its cause may be the change of the
    // request that has just finished.
    if (!isDatabaseFault(error)) stored ??= await findAnswer(db, claim)
    if (stored) return { answer: openAnswer(seal, claim, stored), replayed: true }
    throw error
  }
}

function openAnswer(seal: Seal, claim: Claim, { requestHash, status, sealedAnswer }: StoredAnswer): Answer {
  if (!requestHash.equals(claim.requestHash)) throw new Failure('idempotency_key_reused')
  return { status, text: seal.open(sealedAnswer, sealContext(claim)) }
}

/** The response of a handler, before any of it is sent: the transaction may still be rolled back. */
async function captureAnswer(
  handler: OmitThisParameter<RouteHandlerMethod>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer> {
  const sent: { payload?: unknown } = {}
  const captured: FastifyReply = Object.create(reply, {
    // biome-ignore lint/suspicious/noThenProperty: awaiting a reply waits until it is sent; this one is not
    then: { value: undefined },
    send: {
      value: (payload: unknown) => {
        sent.payload = payload
        return captured
      },
    },
  })
  const returned: unknown = await handler(request, captured)
  const payload = returned === captured ? sent.payload : returned
  const text = payload === undefined || payload === null ? '' : reply.serialize(payload)
  return { status: reply.statusCode, text: String(text) }
}
