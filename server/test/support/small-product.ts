import { setTimeout as sleep } from 'node:timers/promises'
import { expectStatus } from './http.ts'
import { adminClient, PASSWORD, serviceToken } from './testing.ts'

/** In ms: before a request is repeated. */
const PAUSE = 200

/** A minimal product on a separate server process: one system and its members. */
export async function createProduct(url: string, platform: { id: string; secret: string }) {
  const admin = adminClient(url, await serviceToken(url, platform.id, platform.secret))
  /** A busy server answers 503, upon which a client repeats the request. */
  const created = async (path: string, body: object) => {
    let answer = await admin.post(path, body)
    for (; answer.status === 503; answer = await admin.post(path, body)) await sleep(PAUSE)
    return expectStatus(answer, 201).body
  }
  const system = await created('/admin/systems', {
    name: 'Shop',
    redirectUris: ['https://app.example/cb'],
    allowedScopes: ['openid', 'offline_access'],
    skipConsent: true,
  })
  const newMember = async () => {
    const user = await created('/admin/users', {
      email: `${crypto.randomUUID()}@example.test`,
      password: PASSWORD,
    })
    return { user, membership: await created('/admin/memberships', { userId: user.id, systemId: system.id }) }
  }
  return { admin, system, newMember }
}
