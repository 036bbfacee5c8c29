/**
 * The audit, to be read: nothing changes it or takes from it. Mounted at /admin/audit, behind the admin guard. A system
 * sees the entries of its own, the admin of an account those of the account.
 */
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { failures, invalid } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { Id, Nullable, PageOf, PageQuery, pageOf, Time } from '../../http/shapes.ts'
import { DOCS } from './docs.ts'
import { type Entry, listEntries } from './queries.ts'

const Text = Type.String({ minLength: 1, maxLength: 300 })
const Outcome = Type.Enum(['success', 'failure'])
const ActorType = Type.Enum(['user', 'service', 'anonymous', 'server'])

const EntryAnswer = Type.Object({
  id: Id,
  time: Time,
  action: Type.String({ description: '`noun.verb` in the past: `membership.blocked`.' }),
  outcome: Outcome,
  actor: Type.Object({
    type: ActorType,
    id: Nullable(Type.String({ description: 'Of a user the id, of a service its clientId.' })),
    ip: Nullable(Type.String()),
    userAgent: Nullable(Type.String()),
  }),
  target: Type.Object({ type: Nullable(Type.String()), id: Nullable(Type.String()) }),
  systemId: Nullable(Id),
  accountId: Nullable(Id),
  changes: Type.Record(Type.String(), Type.Array(Type.Unknown()), {
    description: 'Of each field the old and the new value.',
  }),
  requestId: Nullable(
    Type.String({ description: 'The same in every entry of one request, and in its refusal.' }),
  ),
})

const answerOf = ({
  actorType,
  actorId,
  actorIp,
  actorUserAgent,
  targetType,
  targetId,
  time,
  ...rest
}: Entry) => ({
  ...rest,
  time: time.toISOString(),
  actor: { type: actorType, id: actorId, ip: actorIp, userAgent: actorUserAgent },
  target: { type: targetType, id: targetId },
})

type Parts = { db: Db }

const list = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { authority: ['platform', 'system', 'account'], docs: DOCS.listAuditEntries },
    schema: {
      querystring: Type.Object({
        ...PageQuery,
        action: Type.Optional(Text),
        outcome: Type.Optional(Outcome),
        actorType: Type.Optional(ActorType),
        actorId: Type.Optional(Text),
        targetType: Type.Optional(Text),
        targetId: Type.Optional(Text),
        systemId: Type.Optional(Id),
        accountId: Type.Optional(Id),
        requestId: Type.Optional(Text),
        from: Type.Optional(Type.Unsafe<string>({ ...Time, description: 'This moment and later.' })),
        to: Type.Optional(Type.Unsafe<string>({ ...Time, description: 'Before this moment.' })),
      }),
      response: { 200: PageOf(EntryAnswer), ...failures('invalid_request') },
    },
    handler: async (request) => {
      const { from, to, ...rest } = request.query
      const period = { ...(from && { from: momentOf('from', from) }), ...(to && { to: momentOf('to', to) }) }
      const { rows, total } = await listEntries(db, reachOf(request.caller), { ...rest, ...period })
      return pageOf(request.query, rows.map(answerOf), total)
    },
  })

export const auditRoutes: FastifyPluginAsync<Parts> = async (app, parts) => addOperations(app, parts, [list])

/** The format admits moments that JavaScript (a leap second) or PostgreSQL (the year 0) does not. */
function momentOf(name: string, text: string): Date {
  const moment = new Date(text)
  const year = moment.getUTCFullYear()
  if (!(year >= 1 && year <= 9999))
    throw invalid(`/query/${name}`, 'must be a date and time of the years 1 to 9999')
  return moment
}
