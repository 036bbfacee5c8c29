/** Events and cursors as clients receive them: in a list, on the stream and by webhooks. */
import { type Static, Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { invalid } from '../../errors.ts'
import type { Reach } from '../../http/authority.ts'
import { Id, oneOf, Time } from '../../http/schemas.ts'
import { EVENT_TYPES } from './enqueue.ts'
import { demandKept, type LoggedEvent, positionBefore, positionOf } from './queries.ts'

export const EventType = oneOf(EVENT_TYPES, { title: 'EventType', description: 'The type of an event.' })

export const EventAnswer = Type.Object(
  {
    id: Id,
    type: EventType,
    timestamp: Time,
    data: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'The fields of the type; docs/events.md lists them.',
    }),
  },
  { title: 'Event' },
)

export const answerOf = ({ id, type, time, data }: Pick<LoggedEvent, 'id' | 'type' | 'time' | 'data'>) =>
  ({ id, type, timestamp: time.toISOString(), data }) as Static<typeof EventAnswer>

const CURSOR = /^c([0-9a-z]{1,11})$/
const EVENT_ID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i
/** RFC 3339, of this century. */
const MOMENT = /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

export const cursorOf = (position: number): string => `c${position.toString(36)}`

/**
 * The position of a cursor, of the id of an event within reach, or of a date and time. Throws
 * invalid_request for the value at `path` if it is none of these, event_not_found, or cursor_expired if
 * the next event has been deleted.
 */
export async function positionAfter(
  db: Db,
  reach: Reach,
  { after, path }: { after: string; path: string },
  newest: number,
): Promise<number> {
  const moment = MOMENT.test(after) ? new Date(after) : undefined
  if (moment && !Number.isNaN(moment.getTime())) return positionBefore(db, moment, newest)
  const position = EVENT_ID.test(after)
    ? await positionOf(db, reach, after)
    : Number.parseInt(CURSOR.exec(after)?.[1] ?? '', 36)
  if (!Number.isSafeInteger(position))
    throw invalid(path, 'must be a cursor, the id of an event, or a date and time (RFC 3339)')
  await demandKept(db, position, newest)
  return position
}
