/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header) on every POST of the admin API: however often, and
 * however concurrently, one caller sends one request under one key, it happens once, and every repeat gets the answer of
 * the first. The key, the change and the answer are one transaction. A refusal keeps nothing, so a repeat tries again.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Seal } from '../../crypto/seal.ts'
import { type Db, inOneTransaction } from '../../database/database.ts'
import { Failure, invalid } from '../../errors.ts'
import type { Caller } from '../authority.ts'
import { type Claim, claimKey, type Stored, storeAnswer } from './queries.ts'

/** A day, in seconds. */
const LIFETIME = 86_400
/** Printable ASCII without the space: two headers would be joined by one. The draft's quotes are part of the key. */
const KEY = /^[\x21-\x7e]{1,255}$/

type Parts = { db: Db; seal: Seal }

/** Serialised as it is sent; empty where there is no body. */
type Answer = { status: number; text: string }

/** Register it before the routes. Their `db` must be one of `joinWhole`. */
export function takeKeys(admin: FastifyInstance, parts: Parts): void {
  admin.addHook('onRoute', (route) => {
    if (route.method !== 'POST') return
    const { handler } = route
    route.handler = async function keyed(request, reply) {
      const key = keyOf(request)
      if (key === undefined) return handler.call(this, request, reply)
      const { answer, replayed } = await once(parts, claimOf(parts.seal, request, key), () =>
        answerBy(handler.bind(this), request, reply),
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
    throw invalid('Idempotency-Key', 'must be 1 to 255 printable characters of ASCII, without spaces')
  if (body instanceof Readable)
    throw invalid('Idempotency-Key', 'is not taken by an operation that reads a stream')
  return key
}

/** Keyed, since a body may hold a password. */
const claimOf = (seal: Seal, { caller, method, url, body }: FastifyRequest, key: string): Claim => ({
  owner: ownerOf(caller),
  key,
  requestHash: seal.hash(JSON.stringify([method, url, body ?? null]), 'idempotency'),
})

/** Keys of two callers never meet, nor those of one caller whose reach has changed. */
const ownerOf = ({ authority, actor, systemId, accountId }: Caller) =>
  [authority, actor.type, actor.id, systemId, accountId ?? '-'].join(' ')

const contextOf = ({ owner, key }: Claim) => `idempotency:${owner} ${key}`

/** The answer of `work`, done here or stored before. */
function once(
  { db, seal }: Parts,
  claim: Claim,
  work: () => Promise<Answer>,
): Promise<{ answer: Answer; replayed: boolean }> {
  return inOneTransaction(db, async (tx) => {
    const stored = await claimKey(tx, claim, LIFETIME)
    if (stored) return { answer: storedAnswer(seal, claim, stored), replayed: true }
    const answer = await work()
    await storeAnswer(tx, claim, {
      status: answer.status,
      sealedAnswer: seal.seal(answer.text, contextOf(claim)),
    })
    return { answer, replayed: false }
  })
}

function storedAnswer(seal: Seal, claim: Claim, { requestHash, status, sealedAnswer }: Stored): Answer {
  if (!requestHash.equals(claim.requestHash)) throw new Failure('idempotency_key_reused')
  return { status, text: seal.open(sealedAnswer, contextOf(claim)) }
}

/** What a handler answers, before anything of it is sent: it may still be rolled back. */
async function answerBy(
  handler: OmitThisParameter<RouteHandlerMethod>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer> {
  const sent: { payload?: unknown } = {}
  const held: FastifyReply = Object.create(reply, {
    // biome-ignore lint/suspicious/noThenProperty: a reply is awaited until it has been sent, and this one is not
    then: { value: undefined },
    send: {
      value: (payload: unknown) => {
        sent.payload = payload
        return held
      },
    },
  })
  const returned: unknown = await handler(request, held)
  const payload = returned === held ? sent.payload : returned
  const text = payload === undefined || payload === null ? '' : reply.serialize(payload)
  return { status: reply.statusCode, text: String(text) }
}
