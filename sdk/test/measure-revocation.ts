/**
 * `node sdk/test/measure-revocation.ts [revocations]`: measures the time from the response of `DELETE
 * /admin/memberships/:id` to the first rejection by the guard. Two server processes share one PostgreSQL: the
 * product follows the first, and the membership is removed at the second. 200 revocations by default.
 */
import { randomBytes } from 'node:crypto'
import { createDatabase, startPostgres } from '../../server/test/support/postgres.ts'
import { startServer } from '../../server/test/support/servers.ts'
import { adminClient, PASSWORD, serviceToken, signInTo } from '../../server/test/support/testing.ts'
import { createTenantry } from '../src/index.ts'

const CLIENT = { id: 'the-platform', secret: randomBytes(32).toString('base64url') }
/** Upper limit of a measurement, in ms. */
const TIMEOUT = 5_000
/** Interval between two requests to the guard, in ms: the resolution of the measurement. */
const STEP = 1

const count = Number(process.argv[2] ?? 200)
const postgres = await startPostgres()
const database = await createDatabase(postgres.url)
const env = {
  DATABASE_URL: database.url,
  SECRET_KEY: 'a key to measure with, long enough',
  ADMIN_CLIENT_ID: CLIENT.id,
  ADMIN_CLIENT_SECRET: CLIENT.secret,
}
const server = await startServer({ env })
const other = await startServer({ env: { ...env, BASE_URL: server.url } })
const admin = async () => adminClient(other.url, await serviceToken(server.url, CLIENT.id, CLIENT.secret))
const made = async (path: string, body: object) => (await (await admin()).post(path, body)).body

const system = await made('/admin/systems', {
  name: 'Shop',
  redirectUris: ['https://app.example/cb'],
  allowedScopes: ['openid'],
  skipConsent: true,
  allowClientCredentials: true,
})
const tenantry = createTenantry({
  issuer: server.url,
  clientId: system.clientId,
  clientSecret: system.clientSecret,
})
await tenantry.follow()

/** Time from the response of the DELETE to the rejection, in ms. */
async function revoke(): Promise<number> {
  const user = await made('/admin/users', {
    email: `${crypto.randomUUID()}@example.test`,
    password: PASSWORD,
  })
  const membership = await made('/admin/memberships', { userId: user.id, systemId: system.id })
  const { access_token } = await signInTo(server.url, system, { email: user.email })
  await tenantry.verify(access_token)
  const client = await admin()
  const { status } = await client.delete(`/admin/memberships/${membership.id}`)
  if (status !== 204) throw new Error(`The membership was not removed: ${status}`)
  const answered = performance.now()
  while (performance.now() - answered < TIMEOUT) {
    const code = await tenantry.verify(access_token).then(
      () => undefined,
      (error) => error.code,
    )
    if (code === 'revoked_token') break
    await new Promise((passed) => setTimeout(passed, STEP))
  }
  return performance.now() - answered
}

const times: number[] = []
for (let turn = 0; turn < count; turn++) times.push(await revoke())
times.sort((one, other) => one - other)
const at = (share: number) => times[Math.min(count - 1, Math.floor(share * count))]!.toFixed(0)
process.stdout.write(
  `${count} revocations, ms: median ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, slowest ${at(1)}\n`,
)

tenantry.close()
await server.close()
await other.close()
await database.drop()
await postgres.close()
