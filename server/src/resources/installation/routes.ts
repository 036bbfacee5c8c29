/** The installation: its state, signing keys and queued email. With platform authority only. */
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import { type Config, VERSION } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Database, Db } from '../../database/database.ts'
import { listMissing } from '../../database/migrations/plan.ts'
import { listProcesses } from '../../database/migrations/presence-queries.ts'
import type { Actor } from '../../http/authority.ts'
import { DATABASE_STATES, stateOfDatabase } from '../../http/health/queries.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { Nullable, oneOf, Time, timeOf } from '../../http/schemas.ts'
import { DOCS } from './docs.ts'
import { listQueuedEmails, readQueuedEmail, testEmail } from './mail.ts'
import { countMail, listSigningKeys, readTableSizes } from './queries.ts'
import { shownSettings } from './settings.ts'

const PLATFORM = { authority: ['platform'] } as const
const Text = Type.String()
const Count = Type.Integer()

const Installation = Type.Object(
  {
    version: Text,
    baseUrl: Text,
    startedAt: timeOf('When the process started.'),
    health: Type.Object({ database: oneOf(DATABASE_STATES) }, { title: 'InstallationHealth' }),
    database: Type.Object(
      {
        kind: oneOf(['pglite', 'postgresql']),
        bytes: Type.Number({ description: 'Of all tables with their indexes.' }),
        tables: Type.Array(
          Type.Object(
            { name: Text, bytes: Type.Number(), rows: Type.Number({ description: 'An estimate.' }) },
            { title: 'TableSize' },
          ),
        ),
      },
      { title: 'DatabaseState' },
    ),
    processes: Type.Array(
      Type.Object(
        {
          version: Text,
          startedAt: Time,
          seenAt: timeOf('A process states every ten seconds that it runs.'),
        },
        { title: 'ServerProcess', description: 'A process that uses the database.' },
      ),
    ),
    migrations: Type.Array(
      Type.Object(
        {
          name: Text,
          kind: oneOf(['init', 'expand', 'fill', 'contract']),
          when: oneOf(['start', 'background', 'finish'], {
            description:
              '`start`: before this version serves. `background`: while it serves. `finish`: by ' +
              '`tenantry migrate --finish`, or before the next release.',
          }),
          effect: Text,
        },
        { title: 'MissingMigration', description: 'A migration of this version that was not applied.' },
      ),
    ),
    mail: Type.Object(
      {
        transport: oneOf(['smtp', 'outbox'], { description: '`outbox`: emails are written to files.' }),
        host: Nullable(Text),
        pending: Count,
        failed: Type.Integer({ description: 'Those of the last seven days that could not be sent.' }),
        oldestPendingAt: Nullable(Time),
      },
      { title: 'MailState' },
    ),
    identityProviders: Type.Array(Text),
    settings: Type.Array(
      Type.Object(
        { name: Text, value: Nullable(Text), isDefault: Type.Boolean(), secret: Type.Boolean() },
        { title: 'EffectiveSetting' },
      ),
    ),
  },
  { title: 'Installation' },
)

const Keys = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          kid: Text,
          alg: oneOf(['ES256', 'RS256']),
          state: oneOf(['next', 'active', 'retired']),
          createdAt: Time,
          activeFrom: timeOf('From this time on it signs.'),
          retiredFrom: Nullable(timeOf('From this time on it only verifies.')),
          removeFrom: Nullable(timeOf('From this time on it is not published.')),
        },
        { title: 'SigningKey' },
      ),
    ),
    nextRotationAt: Nullable(timeOf('When new keys are published; null without KEY_ROTATION_DAYS.')),
  },
  { title: 'SigningKeys' },
)

type Parts = {
  db: Db
  seal: Seal
  config: Config
  kind: Database['kind']
  /** Publishes new signing keys. Returns their ids. */
  rotate(actor: Actor): Promise<string[]>
}

const getInstallation = ({ db, config, kind }: Parts) =>
  operation({
    method: 'GET',
    url: '/installation',
    config: { ...PLATFORM, docs: DOCS.getInstallation },
    schema: { response: { 200: Installation } },
    handler: async () => {
      const { MAIL_URL, BASE_URL, social } = config
      const [database, tables, numbers, processes, migrations] = await Promise.all([
        stateOfDatabase(db),
        readTableSizes(db),
        countMail(db),
        listProcesses(db),
        listMissing(db, kind === 'pglite'),
      ])
      return {
        version: VERSION,
        baseUrl: BASE_URL,
        startedAt: new Date(Date.now() - process.uptime() * 1_000).toISOString(),
        health: { database },
        database: { kind, bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0), tables },
        processes: processes.map(({ version, startedAt, seenAt }) => ({
          version,
          startedAt: startedAt.toISOString(),
          seenAt: seenAt.toISOString(),
        })),
        migrations,
        mail: {
          transport: MAIL_URL ? ('smtp' as const) : ('outbox' as const),
          host: MAIL_URL ? new URL(MAIL_URL).host : null,
          ...numbers,
        },
        identityProviders: social.map(({ id }) => id),
        settings: shownSettings(config),
      }
    },
  })

/** In ms. */
const DAY = 86_400_000

const readKeys = ({ db, config }: Parts) =>
  operation({
    method: 'GET',
    url: '/keys',
    config: { ...PLATFORM, docs: DOCS.listKeys },
    schema: { response: { 200: Keys } },
    handler: async () => {
      const keys = await listSigningKeys(db)
      const newest = Math.max(...keys.map(({ createdAt }) => createdAt.getTime()))
      const { KEY_ROTATION_DAYS: days } = config
      return {
        data: keys.map((key) => ({
          ...key,
          createdAt: key.createdAt.toISOString(),
          activeFrom: key.activeFrom.toISOString(),
          retiredFrom: key.retiredFrom?.toISOString() ?? null,
          removeFrom: key.removeFrom?.toISOString() ?? null,
        })),
        nextRotationAt: days > 0 ? new Date(newest + days * DAY).toISOString() : null,
      }
    },
  })

const rotateKeys = ({ rotate }: Parts) =>
  operation({
    method: 'POST',
    url: '/keys/rotate',
    config: { ...PLATFORM, bodyOptional: true, docs: DOCS.rotateKeys },
    schema: { response: { 200: Type.Object({ kids: Type.Array(Text) }, { title: 'RotatedKeys' }) } },
    handler: async (request) => ({ kids: await rotate(request.caller.actor) }),
  })

export const installationRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [
    getInstallation,
    readKeys,
    rotateKeys,
    listQueuedEmails,
    readQueuedEmail,
    testEmail,
  ])
