/** Queued email: what was sent, and an email that tests the mail server. */

import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import { installationName } from '../../config/installation-name.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure, failures, invalid } from '../../errors.ts'
import { EVERYTHING } from '../../http/authority.ts'
import { pageOf, pageRequestOf } from '../../http/cursors.ts'
import { limitOf, TEST_EMAILS } from '../../http/limits/guard.ts'
import { reserve, secondsToWait } from '../../http/limits/queries.ts'
import { operation } from '../../http/operation.ts'
import { Email, Id, Nullable, oneOf, PageOf, PageQuery, pathId, Time, timeOf } from '../../http/schemas.ts'
import { reserveEmail } from '../../jobs/email/budget.ts'
import { enqueueEmail } from '../../jobs/email/enqueue.ts'
import { FAULT_KINDS, faultKindOf } from '../../jobs/email/faults.ts'
import { testMessage } from '../../jobs/email/messages.ts'
import { record } from '../../journal/audit/record.ts'
import { findUser } from '../users/queries.ts'
import { DOCS } from './docs.ts'
import { findMail, listMail, type QueuedEmail } from './queries.ts'

const PLATFORM = { authority: ['platform'] } as const
const Text = Type.String()
const Count = Type.Integer()

const MailStatus = oneOf(['pending', 'sent', 'failed'], {
  title: 'MailStatus',
  description: 'The status of an email. `failed`: it was refused, or has expired.',
})

const MailBody = Type.Object(
  {
    id: Id,
    kind: Text,
    recipient: Type.String({ description: 'Masked.' }),
    userId: Nullable(Id),
    status: MailStatus,
    attempts: Count,
    lastError: Nullable(Text),
    problem: Nullable(oneOf(FAULT_KINDS, { title: 'EmailProblem', description: 'The kind of `lastError`.' })),
    nextAttemptAt: Nullable(timeOf('Of a pending email.')),
    expiresAt: Time,
    createdAt: Time,
    sentAt: Nullable(Time),
  },
  { title: 'QueuedEmail' },
)

/** The first character and the domain. */
const masked = (address: string) => address.replace(/^(.).*(?=@)/su, '$1***')

const emailOf = ({ recipient, lastError, status, ...email }: QueuedEmail) => ({
  ...email,
  status,
  recipient: masked(recipient),
  lastError: lastError && maskedIn(lastError, recipient),
  problem: lastError === null ? null : faultKindOf(lastError),
  nextAttemptAt: status === 'pending' ? email.nextAttemptAt.toISOString() : null,
  expiresAt: email.expiresAt.toISOString(),
  createdAt: email.createdAt.toISOString(),
  sentAt: email.sentAt?.toISOString() ?? null,
})

/** A mail server may repeat the address in its answer, in letters of any case. */
function maskedIn(text: string, address: string): string {
  const literal = address.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return text.replace(new RegExp(literal, 'gi'), masked(address))
}

type Parts = { db: Db; seal: Seal; config: Config }

export const listQueuedEmails = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/mail',
    config: { ...PLATFORM, docs: DOCS.listMail },
    schema: {
      querystring: Type.Object({
        ...PageQuery,
        status: Type.Optional(MailStatus),
        kind: Type.Optional(
          Type.String({ maxLength: 100, description: 'Returns only emails of this kind.' }),
        ),
        userId: Type.Optional(Id),
      }),
      response: { 200: PageOf(MailBody, 'QueuedEmailList'), ...failures('invalid_request') },
    },
    handler: async (request) => {
      const page = pageRequestOf(request)
      const listed = await listMail(db, { ...request.query, ...page })
      return pageOf(page, listed, listed.rows.map(emailOf))
    },
  })

export const readQueuedEmail = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/mail/:emailId',
    config: { ...PLATFORM, docs: DOCS.getMail },
    schema: {
      params: Type.Object({ emailId: pathId('email') }),
      response: { 200: MailBody, ...failures('email_not_found') },
    },
    handler: async (request) => emailOf(await findMail(db, request.params.emailId)),
  })

/** 10 minutes, in seconds: a test that could not be sent by then says nothing about the present settings. */
const TEST_EXPIRES_IN = 600

export const testEmail = ({ db, seal, config }: Parts) =>
  operation({
    method: 'POST',
    url: '/mail/test',
    config: { ...PLATFORM, bodyOptional: true, docs: DOCS.sendTestEmail },
    schema: {
      body: Type.Object({ email: Type.Optional(Email) }, { title: 'SendTestEmail' }),
      response: { 202: MailBody, ...failures('invalid_request', 'too_many_requests') },
    },
    handler: async (request, reply) => {
      const { actor, systemId } = request.caller
      const email = await inTransaction(db, async (tx) => {
        const user = actor.type === 'user' ? await findUser(tx, EVERYTHING, actor.id!) : undefined
        const recipient = request.body.email ?? user?.email
        if (recipient === undefined) throw invalid('/email', 'is required, because a service has no address')
        const limit = limitOf(seal, 'test_emails', TEST_EMAILS, actor.id ?? systemId)
        if (!(await reserve(tx, limit)))
          throw new Failure('too_many_requests', { retryAfter: await secondsToWait(tx, [limit]) })
        const retryAfter = await reserveEmail(tx, seal, recipient, 'test')
        if (retryAfter > 0) throw new Failure('too_many_requests', { retryAfter })
        const reader = { email: recipient, locale: user?.locale ?? null }
        const message = testMessage(reader, installationName(config), TEST_EXPIRES_IN)
        const id = await enqueueEmail(tx, seal, message, { systemId: null, isAwaited: true })
        await record(tx, actor, { action: 'mail.tested', target: { type: 'email', id } })
        return findMail(tx, id)
      })
      return reply.code(202).send(emailOf(email))
    },
  })
