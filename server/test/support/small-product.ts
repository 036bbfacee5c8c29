import { adminClient, PASSWORD, serviceToken } from './testing.ts'

/** A minimal product on a separate server process: one system and its members. */
export async function createProduct(url: string, platform: { id: string; secret: string }) {
  const admin = adminClient(url, await serviceToken(url, platform.id, platform.secret))
  const created = async (path: string, body: object) => (await admin.post(path, body)).body
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
