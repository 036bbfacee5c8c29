/**
 * The rows of the platform itself, created at the first start: the system whose members are the platform's
 * administrators, with the first of them, and the system whose service tokens have platform authority. Only
 * this file creates platform systems.
 *
 * Processes that start concurrently are serialized by the unique client id of the former: the second insert
 * waits for the first transaction to commit and then finds all rows.
 */

import { type Config, ConfigError } from './config/config.ts'
import { hashPassword } from './crypto/password-hash.ts'
import { createSeal, randomToken, type Seal } from './crypto/seal.ts'
import type { Db } from './database/database.ts'
import { and, asc, eq } from './database/drizzle.ts'
import { installation, systems } from './database/schema.ts'
import { inTransaction } from './database/transaction.ts'
import { addressKey } from './email-address.ts'
import { Failure } from './errors.ts'
import { SERVER } from './http/authority.ts'
import { type CheckpointKey, openCheckpointKey } from './journal/audit/chain/checkpoint.ts'
import { beginChain } from './journal/audit/chain/extend.ts'
import { record } from './journal/audit/record.ts'
import { stampEntries } from './journal/audit/stamp.ts'
import { enqueue } from './journal/events/enqueue.ts'
import { createUser } from './lifecycle/create-user.ts'
import { renewImageAddresses } from './resources/images/queries.ts'
import type { Mailing } from './resources/memberships/approval.ts'
import { createMembership } from './resources/memberships/create.ts'
import { insertRole, type Role } from './resources/roles/queries.ts'
import {
  insertPlatformSystem,
  type System,
  storeConfiguredSecret,
  updateSecret,
} from './resources/systems/queries.ts'
import { hashSecret, newClientId, newSecret } from './resources/systems/secret.ts'

const CONSOLE_CLIENT_ID = 'tenantry-console'

/**
 * What is printed at the start. A secret is included only if it was generated in this start: it cannot be
 * read again.
 */
export type Platform = {
  /** Present only if it was created in this start. */
  admin?: { email: string; password?: string }
  client: { id: string; secret?: string }
}

type Keys = { secretKey: string; previous: string | undefined }

/** Throws ConfigError unless SECRET_KEY or SECRET_KEY_PREVIOUS is the key of this database. */
export async function openSeal(db: Db, keys: Keys): Promise<Seal> {
  await db
    .insert(installation)
    .values({ keyProof: createSeal(keys.secretKey).seal('tenantry', 'installation') })
    .onConflictDoNothing()
  const seal = (await findSeal(db, keys))!
  stampEntries(seal)
  return seal
}

/** Finds the seal and stores nothing. Undefined if no server has started on the database. */
export async function findSeal(db: Db, { secretKey, previous }: Keys): Promise<Seal | undefined> {
  const [row] = await db.select().from(installation)
  if (!row) return undefined
  for (const key of previous === undefined ? [secretKey] : [secretKey, previous]) {
    const tried = createSeal(key)
    try {
      tried.open(row.keyProof, 'installation')
    } catch {
      continue
    }
    const hashRoot = row.sealedHashRoot ? tried.open(row.sealedHashRoot, 'hash-root') : key
    const seal = createSeal(secretKey, { previous, hashRoot })
    if (key === secretKey) seal.useNewKey()
    return seal
  }
  throw new ConfigError(
    'SECRET_KEY is not the key of this database. Nothing was changed. Start with the original key, ' +
      'or with the original key as SECRET_KEY_PREVIOUS to replace it.',
  )
}

/** Makes SECRET_KEY the key of this database. The keyed hashes keep theirs, which is encrypted. */
export async function replaceSecretKey(tx: Db, seal: Seal, { secretKey, previous }: Keys): Promise<void> {
  const [row] = await tx.select().from(installation).for('update')
  const root = row!.sealedHashRoot
  if (row!.keyProof.subarray(0, seal.keyId.length).equals(seal.keyId)) return
  await tx.update(installation).set({
    keyProof: seal.seal('tenantry', 'installation'),
    sealedHashRoot: seal.seal(root ? seal.open(root, 'hash-root') : (previous ?? secretKey), 'hash-root'),
  })
}

export async function ensurePlatform(db: Db, seal: Seal, config: Config): Promise<Platform> {
  stampEntries(seal)
  const admin = (await hasConsole(db)) ? undefined : await newAdmin(config)
  const key = await openCheckpointKey(seal)
  return inTransaction(db, async (tx) => {
    const made = await ensureConsole(tx, key)
    if (made && admin) await insertAdmin(tx, { seal, config }, admin, made)
    const client = await ensureService(tx, seal, config)
    await renewImageAddresses(tx, config)
    return { ...(made && admin && { admin: admin.printed }), client }
  })
}

const hasConsole = async (db: Db): Promise<boolean> =>
  (await db.$count(systems, eq(systems.clientId, CONSOLE_CLIENT_ID))) > 0

type Console = { system: System; role: Role }

/**
 * The system of the administrators with their role, if it was created in this start. As a client it can do
 * nothing: it has no redirect URI, no secret and no device grant, so no token is issued for it.
 */
async function ensureConsole(tx: Db, key: CheckpointKey): Promise<Console | undefined> {
  const system = await insertPlatformSystem(tx, {
    name: 'Tenantry',
    clientId: CONSOLE_CLIENT_ID,
    clientType: 'public',
    tokenEndpointAuthMethod: 'none',
    allowedScopes: ['openid', 'email', 'profile'],
  })
  if (!system) return undefined
  await beginChain(tx, key)
  const role = await insertRole(tx, system.id, { name: 'Administrator', isAdmin: true })
  await record(
    tx,
    SERVER,
    { action: 'system.created', target: { type: 'system', id: system.id }, systemId: system.id },
    { action: 'role.created', target: { type: 'role', id: role.id }, systemId: system.id },
  )
  return { system, role }
}

type Admin = { printed: Required<Platform>['admin']; passwordHash: string }

/** Computed before the transaction, because the hash takes long. */
async function newAdmin({ ADMIN_EMAIL, ADMIN_PASSWORD: given }: Config): Promise<Admin> {
  const email = addressKey(ADMIN_EMAIL ?? 'admin@localhost')
  const password = given ?? randomToken()
  const passwordHash = await hashPassword(password, null)
  return { printed: { email, ...(given === undefined && { password }) }, passwordHash }
}

/** The first administrator: a user with a personal account in the console's system. */
async function insertAdmin(
  tx: Db,
  mailing: Mailing,
  { printed: { email }, passwordHash }: Admin,
  { system, role }: Console,
): Promise<void> {
  const user = await createUser(
    tx,
    mailing.seal,
    SERVER,
    null,
    { email, emailVerified: true, passwordHash },
    { action: 'user.created', changes: {} },
  )
  if (!user) throw new Failure('email_taken')
  await createMembership(tx, mailing, SERVER, {
    addedBy: 'platform',
    user,
    system,
    roles: [role.id],
    status: 'active',
  })
}

/**
 * The service client of the platform: the one with ADMIN_CLIENT_ID, otherwise the oldest. If
 * ADMIN_CLIENT_SECRET is set, it replaces the secret once: a rotation by the API is not undone by a start
 * with the same setting.
 */
async function ensureService(tx: Db, seal: Seal, config: Config): Promise<Platform['client']> {
  const { ADMIN_CLIENT_ID: id, ADMIN_CLIENT_SECRET: given } = config
  const ofPlatform = and(eq(systems.platform, true), eq(systems.clientType, 'confidential'))
  const [service] = await tx
    .select()
    .from(systems)
    .where(id === undefined ? ofPlatform : eq(systems.clientId, id))
    .orderBy(asc(systems.createdAt))
    .limit(1)
  if (!service) return insertService(tx, seal, id ?? newClientId(), given)
  if (!service.platform || service.clientType !== 'confidential') {
    throw new ConfigError(
      `ADMIN_CLIENT_ID must be the id of the platform's service client or a new one; ${id} is another system.`,
    )
  }
  const secretHash = given && hashSecret(seal, given)
  if (secretHash && secretHash !== service.configuredSecretHash) {
    await updateSecret(tx, service.id, secretHash, 0)
    await storeConfiguredSecret(tx, service.id, secretHash)
    await record(tx, SERVER, {
      action: 'system.secret_rotated',
      target: { type: 'system', id: service.id },
      systemId: service.id,
    })
    await enqueue(tx, {
      type: 'system.secret_rotated',
      systemId: service.id,
      data: {
        systemId: service.id,
        clientId: service.clientId,
        graceSeconds: 0,
        actor: { type: 'server', id: null },
      },
    })
  }
  return { id: service.clientId }
}

async function insertService(
  tx: Db,
  seal: Seal,
  clientId: string,
  given: string | undefined,
): Promise<Platform['client']> {
  const secret = given ?? newSecret()
  const values = {
    name: 'Platform service',
    clientId,
    secretHash: hashSecret(seal, secret),
    ...(given !== undefined && { configuredSecretHash: hashSecret(seal, given) }),
    allowClientCredentials: true,
  }
  const made = await insertPlatformSystem(tx, values)
  if (!made) return { id: clientId } // created by a concurrent process with the same settings
  await record(tx, SERVER, {
    action: 'system.created',
    target: { type: 'system', id: made.id },
    systemId: made.id,
  })
  return { id: clientId, ...(given === undefined && { secret }) }
}
