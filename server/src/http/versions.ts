/**
 * Versions of the resources of the admin API (RFC 9110 sections 8.8.3 and 13): each resource has a
 * strong `ETag`, a GET or HEAD with `If-None-Match` responds 304 if it is unchanged, and a PATCH with
 * `If-Match` is rejected if it has changed. The response to its creation has its `Location`.
 *
 * A proxy that compresses a response changes its tag, and clients send back what they received. Therefore the
 * opaque part of a tag decides, whatever stands around it (decision 0170).
 */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure, invalid } from '../errors.ts'
import { isRead } from './methods.ts'
import { step } from './validation-errors.ts'

/** Fields of the response that creates a resource and of no later one: not a part of the version. */
const SHOWN_ONCE = new Set(['clientSecret', 'secret'])

/**
 * `*`, or a list of entity tags. Some proxies that compress write their mark after the quotes: `"tag"-gzip`.
 */
const CONDITION = /^(\*|((W\/)?"[\x21\x23-\x7e\x80-\xff]*"([-;:][\w-]+)?\s*(,\s*|$))+)$/

/** Call it before the routes are registered. */
export function answerVersions(admin: FastifyInstance): void {
  admin.addHook('preHandler', async (request) => {
    const condition = request.headers['if-match']
    if (condition === undefined) return
    if (request.method !== 'PATCH') throw invalid('/headers/if-match', 'is supported by PATCH only')
    if (!CONDITION.test(condition))
      throw invalid('/headers/if-match', 'must be * or a list of entity tags, each in double quotes')
  })
  admin.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || reply.statusCode !== (request.method === 'POST' ? 201 : 200))
      return payload
    const resource = resourceIn(payload)
    if (!resource) return payload
    const version = versionOf(resource)
    reply.header('etag', version)
    // RFC 9110 section 10.2.2: its id below the URL of its list.
    if (request.method === 'POST' && !reply.hasHeader('location'))
      reply.header('location', `${request.url.split('?', 1)[0]}/${resource.id}`)
    if (!isRead(request) || !isKnown(request, version)) return payload
    reply.code(304).removeHeader('content-type')
    return request.method === 'HEAD' ? payload : null // Fastify replaces that of HEAD with its length
  })
}

/**
 * Throws `version_conflict` for a PATCH whose If-Match has another version, and `invalid_request` for one
 * that changes a read-only field. `before` is the resource as this caller reads it, with the row locked.
 */
export function demandVersion(reply: FastifyReply, before: { id: string }): void {
  const { headers, readOnly } = reply.request
  const condition = headers['if-match']
  const isConditional = condition !== undefined && condition !== '*'
  const given = Object.entries(readOnly)
  if (!isConditional && given.length === 0) return
  const current = resourceIn(String(reply.serializeInput(before, '200')))
  if (!current || (isConditional && !names(condition, versionOf(current))))
    throw new Failure('version_conflict')
  const errors = given
    .filter(([field, { value }]) => !isDeepStrictEqual(current[field], value))
    .map(([field, { message }]) => ({
      path: step(field),
      message: Object.hasOwn(current, field) ? message : 'is not a field of this operation',
    }))
  if (errors.length > 0) throw new Failure('invalid_request', { errors })
}

type Resource = Record<string, unknown> & { id: unknown }

/** One resource from its JSON form; undefined for a list. */
function resourceIn(text: string): Resource | undefined {
  const answer: unknown = JSON.parse(text)
  return typeof answer === 'object' && answer !== null && 'id' in answer ? (answer as Resource) : undefined
}

function versionOf(resource: Resource): string {
  const lasting = Object.entries(resource).filter(([field]) => !SHOWN_ONCE.has(field))
  return `"${createHash('sha256').update(JSON.stringify(lasting)).digest('base64url').slice(0, 27)}"`
}

/** Whether a condition is `*` or has the tag of this version, with or without the marks of a compressor. */
function names(condition: string, version: string): boolean {
  if (condition === '*') return true
  const opaque = version.slice(1, -1)
  return (condition.match(/"[^"]*"/g) ?? []).some((tag) => {
    const at = tag.indexOf(opaque)
    // A mark is set apart: `W/"tag"`, `"tag-gzip"`, `"tag--gzip"`, `"tag;br"`. Another tag is not: `"tagx"`.
    return at > 0 && !/[a-z\d]/i.test(`${tag[at - 1]}${tag[at + opaque.length]}`)
  })
}

/** Whether `If-None-Match` has this version. */
const isKnown = ({ headers }: FastifyRequest, version: string): boolean =>
  headers['if-none-match'] !== undefined && names(headers['if-none-match'], version)
