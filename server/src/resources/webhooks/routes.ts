/**
 * Webhooks of a system. Mounted at /admin/systems/:systemId/webhooks, behind the admin guard. jobs/webhooks/
 * sends the deliveries; docs/webhooks.md describes how a receiver verifies them.
 */

import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { afterCommit, inTransaction } from '../../database/transaction.ts'
import { Failure, failures, invalid } from '../../errors.ts'
import { ofSystem, type Reach, reachOf } from '../../http/authority.ts'
import { pageOf, pageRequestOf } from '../../http/cursors.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { targetsOf, urlFault } from '../../http/outbound.ts'
import { PageQuery } from '../../http/schemas.ts'
import { demandVersion } from '../../http/versions.ts'
import { queuedDeliveries, sealSecret } from '../../jobs/webhooks/secrets.ts'
import { newWebhookSecret } from '../../jobs/webhooks/signature.ts'
import { difference, record } from '../../journal/audit/record.ts'
import { actorOrigin } from '../../journal/events/enqueue.ts'
import { numberEvents } from '../../journal/events/queries.ts'
import { cursorOf, positionAfter } from '../../journal/events/schemas.ts'
import { noteWritten } from '../../request-time.ts'
import { findSystem, lockContents } from '../systems/queries.ts'
import { getDelivery, listDeliveriesOf } from './deliveries.ts'
import { DOCS } from './docs.ts'
import {
  deleteDeliveries,
  deleteWebhook,
  findWebhook,
  insertTestDelivery,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  requeue,
  requeueSince,
  resetFailures,
  updateWebhook,
  updateWebhookSecret,
  type Webhook,
} from './queries.ts'
import {
  answerOf,
  CreatedWebhook,
  CreateWebhook,
  InSystem,
  OneDelivery,
  OneWebhook,
  Queued,
  QueuedSince,
  ResendEvents,
  RotatedWebhookSecret,
  RotateWebhookSecret,
  TestSent,
  UpdateWebhook,
  WebhookAnswer,
  WebhookList,
} from './schemas.ts'

/** Deliveries deleted by one statement, in about 200 ms. */
const DELETED_MAX = 5_000
/** Events that one request reads, in about 200 ms. */
const RESENT_MAX = 10_000

/** Throws webhook_disabled: a delivery that is queued for it would not be sent. */
async function lockEnabled(tx: Db, reach: Reach, systemId: string, id: string): Promise<Webhook> {
  const webhook = await lockWebhook(tx, reach, systemId, id)
  if (!webhook.enabled) throw new Failure('webhook_disabled')
  return webhook
}

function checkUrl(url: string | undefined, config: Config): void {
  const fault = url === undefined ? undefined : urlFault(url, targetsOf(config))
  if (fault) throw invalid('/url', fault)
}

type Parts = { db: Db; seal: Seal; config: Config }

const list = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { authority: ['platform', 'system'], docs: DOCS.listWebhooks },
    schema: {
      params: InSystem,
      querystring: Type.Object(PageQuery),
      response: { 200: WebhookList, ...failures('invalid_request', 'system_not_found') },
    },
    handler: async (request) => {
      const { id } = await findSystem(db, reachOf(request.caller), request.params.systemId)
      const page = pageRequestOf(request)
      const listed = await listWebhooks(db, id, { ...request.query, ...page })
      return pageOf(page, listed, listed.rows.map(answerOf))
    },
  })

const create = ({ db, seal, config }: Parts) =>
  operation({
    method: 'POST',
    url: '/',
    config: { authority: ['platform', 'system'], docs: DOCS.createWebhook },
    schema: {
      params: InSystem,
      body: CreateWebhook,
      response: { 201: CreatedWebhook, ...failures('invalid_request', 'system_not_found', 'limit_reached') },
    },
    handler: async (request, reply) => {
      const { systemId } = request.params
      checkUrl(request.body.url, config)
      const id = crypto.randomUUID()
      const secret = newWebhookSecret()
      const webhook = await inTransaction(db, async (tx) => {
        await lockContents(tx, reachOf(request.caller), systemId)
        const followed = await numberEvents(tx)
        const sealedSecret = sealSecret(seal, id, secret)
        const webhook = await insertWebhook(tx, { ...request.body, id, systemId, sealedSecret, followed })
        await record(tx, request.caller.actor, {
          action: 'webhook.created',
          target: { type: 'webhook', id },
          systemId,
          changes: difference({}, request.body),
        })
        return webhook
      })
      return reply.code(201).send({ ...answerOf(webhook), secret })
    },
  })

const get = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:webhookId',
    config: { authority: ['platform', 'system'], docs: DOCS.getWebhook },
    schema: { params: OneWebhook, response: { 200: WebhookAnswer, ...failures('webhook_not_found') } },
    handler: async ({ caller, params }) =>
      answerOf(await findWebhook(db, reachOf(caller), params.systemId, params.webhookId)),
  })

const update = ({ db, config }: Parts) =>
  operation({
    method: 'PATCH',
    url: '/:webhookId',
    config: { authority: ['platform', 'system'], docs: DOCS.updateWebhook },
    schema: {
      params: OneWebhook,
      body: UpdateWebhook,
      response: { 200: WebhookAnswer, ...failures('invalid_request', 'webhook_not_found') },
    },
    handler: async (request, reply) => {
      const { systemId, webhookId } = request.params
      const patch = request.body
      checkUrl(patch.url, config)
      const webhook = await inTransaction(db, async (tx) => {
        const before = await lockWebhook(tx, reachOf(request.caller), systemId, webhookId)
        demandVersion(reply, answerOf(before))
        const changes = difference(before, { ...before, ...patch })
        if (Object.keys(changes).length === 0) return before
        if (changes.enabled && patch.enabled) await resetFailures(tx, webhookId, await numberEvents(tx))
        else if (changes.url) await resetFailures(tx, webhookId)
        const after = await updateWebhook(tx, webhookId, patch)
        await record(tx, request.caller.actor, {
          action: 'webhook.updated',
          target: { type: 'webhook', id: webhookId },
          systemId,
          changes,
        })
        return after
      })
      afterCommit(() => queuedDeliveries.emit('delivery'))
      return answerOf(webhook)
    },
  })

const remove = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:webhookId',
    config: { authority: ['platform', 'system'], docs: DOCS.deleteWebhook },
    schema: { params: OneWebhook, response: { 204: Type.Null(), ...failures('webhook_not_found') } },
    handler: async (request, reply) => {
      const { systemId, webhookId } = request.params
      await inTransaction(db, async (tx) => {
        const { url } = await lockWebhook(tx, reachOf(request.caller), systemId, webhookId)
        while ((await deleteDeliveries(tx, webhookId, DELETED_MAX)) === DELETED_MAX);
        await deleteWebhook(tx, webhookId)
        await record(tx, request.caller.actor, {
          action: 'webhook.deleted',
          target: { type: 'webhook', id: webhookId },
          systemId,
          changes: { url: [url, null] },
        })
      })
      return reply.code(204).send(null)
    },
  })

const rotateSecret = ({ db, seal }: Parts) =>
  operation({
    method: 'POST',
    url: '/:webhookId/rotate-secret',
    config: { authority: ['platform', 'system'], bodyOptional: true, docs: DOCS.rotateWebhookSecret },
    schema: {
      params: OneWebhook,
      body: RotateWebhookSecret,
      response: {
        200: RotatedWebhookSecret,
        ...failures('invalid_request', 'webhook_not_found'),
      },
    },
    handler: async (request) => {
      const { systemId, webhookId } = request.params
      const { graceSeconds = 0 } = request.body
      const secret = newWebhookSecret()
      await inTransaction(db, async (tx) => {
        await lockWebhook(tx, reachOf(request.caller), systemId, webhookId)
        await updateWebhookSecret(tx, webhookId, sealSecret(seal, webhookId, secret), graceSeconds)
        await record(tx, request.caller.actor, {
          action: 'webhook.secret_rotated',
          target: { type: 'webhook', id: webhookId },
          systemId,
          changes: { graceSeconds: [null, graceSeconds] },
        })
      })
      return { id: webhookId, secret }
    },
  })

const sendTest = ({ db }: Parts) =>
  operation({
    method: 'POST',
    url: '/:webhookId/test',
    config: { authority: ['platform', 'system'], bodyOptional: true, docs: DOCS.testWebhook },
    schema: {
      params: OneWebhook,
      response: { 202: TestSent, ...failures('webhook_not_found', 'webhook_disabled') },
    },
    handler: async (request, reply) => {
      const { systemId, webhookId } = request.params
      const { actor } = request.caller
      const eventId = await inTransaction(db, async (tx) => {
        await lockEnabled(tx, reachOf(request.caller), systemId, webhookId)
        await record(tx, actor, {
          action: 'webhook.tested',
          target: { type: 'webhook', id: webhookId },
          systemId,
        })
        const data = { systemId, webhookId, actor: actorOrigin(actor) }
        return insertTestDelivery(tx, webhookId, 'webhook.test', data)
      })
      afterCommit(() => queuedDeliveries.emit('delivery'))
      return reply.code(202).send({ eventId })
    },
  })

const resend = ({ db }: Parts) =>
  operation({
    method: 'POST',
    url: '/:webhookId/deliveries/:deliveryId/resend',
    config: { authority: ['platform', 'system'], bodyOptional: true, docs: DOCS.resendDelivery },
    schema: {
      params: OneDelivery,
      response: { 202: Queued, ...failures('webhook_not_found', 'delivery_not_found', 'webhook_disabled') },
    },
    handler: async (request, reply) => {
      const { systemId, webhookId, deliveryId } = request.params
      await inTransaction(db, async (tx) => {
        await lockEnabled(tx, reachOf(request.caller), systemId, webhookId)
        await requeue(tx, webhookId, deliveryId)
        await record(tx, request.caller.actor, {
          action: 'webhook.resent',
          target: { type: 'webhook', id: webhookId },
          systemId,
          changes: { deliveryId: [null, deliveryId] },
        })
      })
      afterCommit(() => queuedDeliveries.emit('delivery'))
      return reply.code(202).send({ queued: 1 })
    },
  })

const resendSince = ({ db }: Parts) =>
  operation({
    method: 'POST',
    url: '/:webhookId/resend',
    config: { authority: ['platform', 'system'], docs: DOCS.resendEvents },
    schema: {
      params: OneWebhook,
      body: ResendEvents,
      response: {
        202: QueuedSince,
        ...failures(
          'invalid_request',
          'webhook_not_found',
          'event_not_found',
          'webhook_disabled',
          'cursor_expired',
        ),
      },
    },
    handler: async (request, reply) => {
      const { systemId, webhookId } = request.params
      const { after } = request.body
      const sent = await inTransaction(db, async (tx) => {
        const webhook = await lockEnabled(tx, reachOf(request.caller), systemId, webhookId)
        const position = await positionAfter(
          tx,
          ofSystem(systemId),
          { after, path: '/after' },
          await numberEvents(tx),
        )
        const sent = await requeueSince(tx, webhook, position, RESENT_MAX)
        noteWritten('events', sent.queued)
        await record(tx, request.caller.actor, {
          action: 'webhook.resent',
          target: { type: 'webhook', id: webhookId },
          systemId,
          changes: { after: [null, after], queued: [null, sent.queued] },
        })
        return sent
      })
      afterCommit(() => queuedDeliveries.emit('delivery'))
      return reply
        .code(202)
        .send({ queued: sent.queued, next: sent.last === null ? null : cursorOf(sent.last) })
    },
  })

export const webhooksRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [
    list,
    create,
    get,
    update,
    remove,
    rotateSecret,
    sendTest,
    listDeliveriesOf,
    getDelivery,
    resend,
    resendSince,
  ])
