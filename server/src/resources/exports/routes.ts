/**
 * The stored data of a user as one document (GDPR, articles 15 and 20). Mounted at
 * /admin/users/:userId/export, behind the admin guard. It contains no hash, secret or token. A system's
 * service token exports what it reads about a user of its system.
 */
import type { FastifyPluginAsync } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { failures } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { Id, Nullable, Time } from '../../http/schemas.ts'
import { record } from '../../journal/audit/record.ts'
import { listConsents } from '../consents/queries.ts'
import { entryOfUser } from '../users/changes.ts'
import { DOCS } from '../users/docs.ts'
import { lockUser } from '../users/queries.ts'
import { answerOf, OneUser, UserAnswer } from '../users/schemas.ts'
import {
  exportedAddresses,
  exportedBlocks,
  exportedLinks,
  readActivity,
  readAudit,
  readConnectionLinks,
  readFactors,
  readIdentities,
  readMails,
  readMemberships,
  readOperators,
  readPersonalAccounts,
  readSessions,
} from './queries.ts'

const Text = Type.String()
const Texts = Type.Array(Text)
const objectOf = <T extends Record<string, TSchema>>(title: string, fields: T) =>
  Type.Object(fields, { title: `Exported${title}` })
const listOf = <T extends Record<string, TSchema>>(title: string, fields: T) =>
  Type.Array(objectOf(title, fields))

/** What the organization states of its member. */
const StatedFacts = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

const Export = Type.Object(
  {
    exportedAt: Time,
    user: UserAnswer,
    identities: listOf('Identity', {
      provider: Text,
      subject: Text,
      email: Nullable(Text),
      createdAt: Time,
      lastLoginAt: Nullable(Time),
    }),
    statedAddresses: listOf('StatedAddress', { systemId: Text, email: Text }),
    factors: objectOf('Factors', {
      authenticators: listOf('Authenticator', { createdAt: Time, confirmedAt: Nullable(Time) }),
      passkeys: listOf('Passkey', {
        name: Text,
        transports: Texts,
        backedUp: Type.Boolean(),
        createdAt: Time,
        lastUsedAt: Nullable(Time),
      }),
      recoveryCodes: objectOf('RecoveryCodes', { left: Type.Integer(), used: Type.Integer() }),
    }),
    memberships: listOf('Membership', {
      id: Id,
      status: Text,
      system: objectOf('MembershipSystem', { id: Id, name: Text }),
      account: objectOf('MembershipAccount', { id: Id, name: Text, kind: Text }),
      roles: Texts,
      profiles: Texts,
      stated: StatedFacts,
      statedEmail: Nullable(Text),
      createdAt: Time,
      updatedAt: Time,
    }),
    connectionLinks: listOf('ConnectionLink', {
      systemId: Id,
      accountId: Id,
      connection: objectOf('LinkConnection', { id: Id, name: Text }),
      subject: Text,
      email: Text,
      groups: Texts,
      createdAt: Time,
      lastUsedAt: Nullable(Time),
    }),
    blocks: listOf('Block', { systemId: Id, accountId: Id, setBy: Text, createdAt: Time }),
    operators: listOf('Operator', { systemId: Nullable(Id), level: Text, createdAt: Time }),
    personalAccounts: listOf('Account', { id: Id, systemId: Id, name: Text, createdAt: Time }),
    sessions: listOf('Session', {
      sid: Text,
      systemId: Id,
      accountId: Id,
      ip: Nullable(Text),
      userAgent: Nullable(Text),
      amr: Texts,
      createdAt: Time,
      lastSeenAt: Time,
      expiresAt: Time,
      endedAt: Nullable(Time),
      endReason: Nullable(Text),
    }),
    activity: listOf('Activity', { systemId: Id, days: Texts }),
    consents: listOf('Consent', {
      systemId: Id,
      accountId: Id,
      scopes: Texts,
      claims: Texts,
      grantedAt: Time,
    }),
    audit: listOf('AuditEntry', {
      time: Time,
      action: Text,
      outcome: Text,
      actorType: Text,
      actorId: Nullable(Text),
      ip: Nullable(Text),
      userAgent: Nullable(Text),
      targetType: Nullable(Text),
      targetId: Nullable(Text),
      systemId: Nullable(Id),
      accountId: Nullable(Id),
      changes: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
    }),
    mails: listOf('Email', {
      kind: Text,
      recipient: Text,
      status: Text,
      createdAt: Time,
      sentAt: Nullable(Time),
    }),
    links: listOf('Link', {
      purpose: Text,
      email: Text,
      createdAt: Time,
      expiresAt: Time,
      consumedAt: Nullable(Time),
    }),
  },
  { title: 'UserExport' },
)

/** Times as strings, as in JSON. */
type Written<T> = T extends Date ? string : T extends object ? { [Key in keyof T]: Written<T[Key]> } : T
const written = <T>(value: T): Written<T> => JSON.parse(JSON.stringify(value)) as Written<T>

type Parts = { db: Db }

const exportUser = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:userId/export',
    config: { authority: ['platform', 'system'], writes: true, docs: DOCS.exportUser },
    schema: {
      params: OneUser,
      response: { 200: Export, ...failures('user_not_found') },
    },
    handler: (request) =>
      inTransaction(db, async (tx) => {
        const { caller } = request
        const reach = reachOf(caller)
        const user = await lockUser(tx, reach, request.params.userId)
        await record(tx, caller.actor, { action: 'user.exported', ...entryOfUser(caller, user.id) })
        return {
          exportedAt: new Date().toISOString(),
          user: answerOf(user),
          ...written({
            identities: await readIdentities(tx, reach, user.id),
            statedAddresses: reach.systemId === undefined ? await exportedAddresses(tx, user.id) : [],
            factors: await readFactors(tx, reach, user.id),
            memberships: await readMemberships(tx, reach, user.id),
            connectionLinks: await readConnectionLinks(tx, reach, user.id),
            blocks: await exportedBlocks(tx, reach, user.id),
            operators: await readOperators(tx, reach, user.id),
            personalAccounts: await readPersonalAccounts(tx, reach, user.id),
            sessions: await readSessions(tx, reach, user.id),
            activity: await readActivity(tx, reach, user.id),
            consents: await listConsents(tx, reach, user.id),
            audit: await readAudit(tx, reach, user.id),
            mails: reach.systemId === undefined ? await readMails(tx, user.id) : [],
            links: reach.systemId === undefined ? await exportedLinks(tx, user.id) : [],
          }),
        }
      }),
  })

export const exportsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [exportUser])
