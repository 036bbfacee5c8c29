/**
 * Versions of what the admin API shows (RFC 9110 sections 8.8.3 and 13): each resource it answers has a strong `ETag`,
 * `If-None-Match` spares reading one again, and `If-Match` keeps a PATCH from overwriting what the caller has not seen.
 */
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure, invalid } from '../errors.ts'

/** In the answer that makes a resource and in no later one, so no part of its version. */
const SHOWN_ONCE = new Set(['clientSecret', 'secret'])

/** `*`, or entity tags in a list; a weak one is read and never matches. */
const CONDITION = /^(\*|((W\/)?"[\x21\x23-\x7e\x80-\xff]*"\s*(,\s*|$))+)$/

/** Register it before the routes. */
export function answerVersions(admin: FastifyInstance): void {
  admin.addHook('preHandler', async (request) => {
    const condition = request.headers['if-match']
    if (condition === undefined) return
    if (request.method !== 'PATCH') throw invalid('If-Match', 'is taken by PATCH only')
    if (!CONDITION.test(condition))
      throw invalid('If-Match', 'must be * or a list of entity tags, each in double quotes')
  })
  admin.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || reply.statusCode !== (request.method === 'POST' ? 201 : 200))
      return payload
    const version = versionOf(payload)
    if (version === undefined) return payload
    reply.header('etag', version)
    if (request.method !== 'GET' || !isHeld(request, version)) return payload
    reply.code(304).removeHeader('content-type')
    return null
  })
}

/** Refuses a PATCH whose If-Match names another version than this one. Call it with the resource locked, on what was read then. */
export function demandVersion(reply: FastifyReply, before: { id: string }): void {
  const condition = reply.request.headers['if-match']
  if (condition === undefined || condition === '*') return
  const version = versionOf(String(reply.serializeInput(before, '200')))
  if (version === undefined || !tagsOf(condition).includes(version)) throw new Failure('version_conflict')
}

/** Of one resource as it is answered; a list has none. */
function versionOf(text: string): string | undefined {
  const answer: unknown = JSON.parse(text)
  if (typeof answer !== 'object' || answer === null || !('id' in answer)) return undefined
  const lasting = Object.entries(answer).filter(([field]) => !SHOWN_ONCE.has(field))
  return `"${createHash('sha256').update(JSON.stringify(lasting)).digest('base64url').slice(0, 27)}"`
}

const tagsOf = (condition: string): string[] => condition.match(/(W\/)?"[^"]*"/g) ?? []

/** Whether the caller has this version already; weak tags count here (RFC 9110 section 13.1.2). */
function isHeld({ headers }: FastifyRequest, version: string): boolean {
  const condition = headers['if-none-match']
  if (condition === undefined) return false
  return condition === '*' || tagsOf(condition).some((tag) => tag.replace(/^W\//, '') === version)
}
