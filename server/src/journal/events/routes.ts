/**
 * The event log, by cursor and as a stream (docs/events.md). Mounted at /admin/events, behind the admin
 * guard. The platform reads all events, a system its own; the admin of an account reads none.
 */
import type { Readable } from 'node:stream'
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { type Caller, reachOf } from '../../http/authority.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { DOCS } from './docs.ts'
import { type EventFilter, numberEvents, positionBeforeOldest, readEvents } from './queries.ts'
import { answerOf, cursorOf, EventAnswer, EventType, positionAfter } from './schemas.ts'
import type { Streams } from './stream.ts'

const Cursor = Type.String({
  maxLength: 100,
  description:
    'A cursor or the id of an event: returns the events after it. Or a date and time: returns the events from then on.',
})
const Filter = {
  after: Type.Optional(Cursor),
  type: Type.Optional(
    Type.Union([EventType, Type.Array(EventType, { maxItems: 50 })], {
      description: 'Returns only events of this type. Repeat it for several types.',
    }),
  ),
  systemId: Type.Optional(
    Type.String({ format: 'uuid', description: 'Returns only events of this system.' }),
  ),
}

const EventPage = Type.Object(
  {
    data: Type.Array(EventAnswer),
    next: Type.String({ description: 'The cursor from which to continue, also if there are no events.' }),
    more: Type.Boolean({
      description: 'Whether to continue at once. A page can be empty although more events follow.',
    }),
  },
  { title: 'EventPage' },
)

type Parts = { db: Db; streams: Streams }

/** The requested events that are within reach; possibly none. */
function filterOf(
  caller: Caller,
  { type, systemId }: { type?: string | string[]; systemId?: string },
): EventFilter {
  const [reach, asked] = [reachOf(caller).systemId, systemId?.toLowerCase()]
  const nothing = reach !== undefined && asked !== undefined && asked !== reach
  return { systemId: reach ?? asked, types: nothing ? [] : type === undefined ? undefined : [type].flat() }
}

const list = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { authority: ['platform', 'system'], docs: DOCS.listEvents },
    schema: {
      querystring: Type.Object({
        ...Filter,
        limit: Type.Integer({
          minimum: 1,
          maximum: 1_000,
          default: 100,
          description: 'The greatest number of events in the response.',
        }),
      }),
      response: { 200: EventPage, ...failures('invalid_request', 'event_not_found', 'cursor_expired') },
    },
    handler: async (request) => {
      const { after, limit } = request.query
      const filter = filterOf(request.caller, request.query)
      const newest = await numberEvents(db)
      const from = after
        ? await positionAfter(db, reachOf(request.caller), { after, path: '/query/after' }, newest)
        : await positionBeforeOldest(db, newest)
      const { rows, next, more } = await readEvents(db, filter, from, newest, limit)
      return { data: rows.map(answerOf), next: cursorOf(next), more }
    },
  })

const stream = ({ db, streams }: Parts) =>
  operation({
    method: 'GET',
    url: '/stream',
    exposeHeadRoute: false, // a stream has no end
    config: { authority: ['platform', 'system'], share: 'none', docs: DOCS.streamEvents },
    schema: {
      querystring: Type.Object(Filter),
      headers: Type.Object({ 'last-event-id': Type.Optional(Cursor) }),
      produces: ['text/event-stream'],
      response: {
        200: Type.Unsafe<Readable>({ type: 'string' }),
        ...failures(
          'invalid_request',
          'event_not_found',
          'cursor_expired',
          'too_many_requests',
          'unavailable',
        ),
      },
    },
    handler: async (request, reply) => {
      const { caller } = request
      // A client that reconnects sends the header; its URL may still contain the cursor of its first request.
      const header = request.headers['last-event-id']
      const after = header || request.query.after
      const path = header ? '/headers/last-event-id' : '/query/after'
      const from = after
        ? await positionAfter(db, reachOf(caller), { after, path }, await numberEvents(db))
        : undefined
      const filter = filterOf(caller, request.query)
      const follower = {
        caller: caller.systemId,
        filter,
        expiresAt: caller.expiresAt,
        request,
      }
      const { body, close } = await streams.open(follower, from)
      reply.raw.once('close', close)
      return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(body)
    },
  })

export const eventsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [list, stream])
