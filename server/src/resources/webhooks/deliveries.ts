/** Operations that read deliveries and the state of webhooks. */

import type { FastifyPluginAsync } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { pageOf, pageRequestOf } from '../../http/cursors.ts'
import { EXAMPLE } from '../../http/example.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { momentOf } from '../../http/query-values.ts'
import { Id, PageQuery, timeOf } from '../../http/schemas.ts'
import { EventType } from '../../journal/events/schemas.ts'
import {
  DELIVERIES_COUNTED_MAX,
  findDelivery,
  listAttempts,
  listDeliveries,
  listStates,
  type WebhookState,
} from './delivery-queries.ts'
import { DOCS } from './docs.ts'
import { findWebhook } from './queries.ts'
import { sampleRequest } from './sample.ts'
import {
  ATTEMPTS_SHOWN,
  answerOf,
  DeliveryAnswer,
  DeliveryList,
  DeliveryStatus,
  deliveryOf,
  OneDelivery,
  OneWebhook,
  SampleRequest,
  type WebhookStateAnswer,
  WebhookStateList,
  WebhookStateName,
} from './schemas.ts'

type Parts = { db: Db }

const FILTERS = {
  status: Type.Optional(DeliveryStatus),
  type: Type.Optional(
    Type.String({ maxLength: 100, description: 'Returns only deliveries of events of this type.' }),
  ),
  eventId: Type.Optional(Type.String({ ...Id, description: 'Returns only the delivery of this event.' })),
  from: Type.Optional(timeOf('Returns only deliveries of events of this time and later.')),
  to: Type.Optional(timeOf('Returns only deliveries of events before this time.')),
}

export const listDeliveriesOf = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:webhookId/deliveries',
    config: { authority: ['platform', 'system'], docs: DOCS.listDeliveries },
    schema: {
      params: OneWebhook,
      querystring: Type.Object({ ...PageQuery, ...FILTERS }),
      response: { 200: DeliveryList, ...failures('invalid_request', 'webhook_not_found') },
    },
    handler: async (request) => {
      const { caller, params } = request
      const webhook = await findWebhook(db, reachOf(caller), params.systemId, params.webhookId)
      const { from, to, ...asked } = request.query
      const page = pageRequestOf(request)
      const listed = await listDeliveries(db, webhook, {
        ...asked,
        ...page,
        from: from === undefined ? undefined : momentOf('from', from),
        to: to === undefined ? undefined : momentOf('to', to),
      })
      const { rows } = listed
      const ids = rows.map((row) => row.id)
      const attempts = Map.groupBy(
        await listAttempts(db, ids, ATTEMPTS_SHOWN),
        ({ deliveryId }) => deliveryId,
      )
      const withAnswers = caller.authority === 'platform'
      const data = rows.map((row) => deliveryOf(row, attempts.get(row.id) ?? [], withAnswers))
      return pageOf(page, listed, data)
    },
  })

/** The attempts in the response for one delivery: more than a schedule has. */
const ATTEMPTS_OF_ONE = 200

export const getDelivery = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:webhookId/deliveries/:deliveryId',
    config: { authority: ['platform', 'system'], docs: DOCS.getDelivery },
    schema: {
      params: OneDelivery,
      response: { 200: DeliveryAnswer, ...failures('webhook_not_found', 'delivery_not_found') },
    },
    handler: async ({ caller, params }) => {
      const { id } = await findWebhook(db, reachOf(caller), params.systemId, params.webhookId)
      const delivery = await findDelivery(db, id, params.deliveryId)
      const attempts = await listAttempts(db, [delivery.id], ATTEMPTS_OF_ONE)
      return deliveryOf(delivery, attempts, caller.authority === 'platform')
    },
  })

const stateOf = (row: WebhookState): Static<typeof WebhookStateAnswer> => ({
  ...answerOf(row),
  state: row.state,
  failingSince: row.failingSince?.toISOString() ?? null,
  pausedUntil: row.pausedUntil?.toISOString() ?? null,
  deliveries: {
    delivered: row.delivered,
    failed: row.failed,
    pending: row.pending,
    countedMax: DELIVERIES_COUNTED_MAX,
    oldestPendingAt: row.oldestPendingAt?.toISOString() ?? null,
  },
})

const listAllWebhooks = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { authority: ['platform', 'system'], docs: DOCS.listAllWebhooks },
    schema: {
      querystring: Type.Object({
        ...PageQuery,
        systemId: Type.Optional(Id),
        state: Type.Optional(WebhookStateName),
      }),
      response: { 200: WebhookStateList, ...failures('invalid_request') },
    },
    handler: async (request) => {
      const page = pageRequestOf(request)
      const listed = await listStates(db, reachOf(request.caller), { ...request.query, ...page })
      return pageOf(page, listed, listed.rows.map(stateOf))
    },
  })

const getSample = () =>
  operation({
    method: 'GET',
    url: '/sample',
    config: { authority: ['platform', 'system'], docs: DOCS.sampleWebhookRequest },
    schema: {
      querystring: Type.Object({ type: EventType }),
      response: { 200: SampleRequest, ...failures('invalid_request') },
    },
    handler: async ({ caller, query }) =>
      sampleRequest(query.type, reachOf(caller).systemId ?? EXAMPLE.system, Date.now()),
  })

export const allWebhooksRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [listAllWebhooks, getSample])
