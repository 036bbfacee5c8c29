/** What the requests of admin-changes.ts change: a system with one of each resource. */
import { decodeJwt } from 'jose'
import type { startTestApp } from './testing.ts'

export type App = Awaited<ReturnType<typeof startTestApp>>
export type Fixture = Awaited<ReturnType<typeof newFixture>>
/** A valid request, its audit entry, and its target: the new id if the request creates something. */
export type Change = {
  path: string
  body?: object
  /** Instead of a body of JSON. */
  image?: Buffer
  contentType?: string
  action: string
  type: string
  id?: string
}

/** A system with one of each resource, made for one change. */
export async function newFixture(app: App) {
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true })
  const { id: roleId } = await app.newRole(system.id)
  const { id: profileId } = (
    await app.platform.post(`/admin/systems/${system.id}/profiles`, { name: 'doctor' })
  ).body
  const user = await app.newUser()
  const membership = await app.newMembership({ userId: user.id, systemId: system.id })
  const newSession = async () =>
    String(decodeJwt((await app.signIn(system, { email: user.email })).access_token).sid)
  return {
    app,
    system,
    roleId,
    profileId,
    user,
    membership,
    newSession,
    at: `/admin/systems/${system.id}`,
    ofUser: `/admin/users/${user.id}`,
    ofMembership: `/admin/memberships/${membership.id}`,
  }
}

export const onSystem = (fixture: Fixture, verb: string) => ({
  action: `system.${verb}`,
  type: 'system',
  id: fixture.system.id,
})
export const onUser = (fixture: Fixture, verb: string) => ({
  action: `user.${verb}`,
  type: 'user',
  id: fixture.user.id,
})
export const onAccount = ({ membership }: Fixture, verb: string) => ({
  action: `account.${verb}`,
  type: 'account',
  id: membership.accountId,
})
export const logoAt = ({ membership }: Fixture) => `/admin/accounts/${membership.accountId}/branding/logo`
export const onMembership = (fixture: Fixture, verb: string) => ({
  action: `membership.${verb}`,
  type: 'membership',
  id: fixture.membership.id,
})
export const onSession = async (fixture: Fixture) => ({
  action: 'session.ended',
  type: 'session',
  id: await fixture.newSession(),
})

/** A webhook of the system, and its audit entry. */
export async function onWebhook({ app, at }: Fixture, verb: string) {
  const { id } = (await app.platform.post(`${at}/webhooks`, { url: 'https://hooks.example/tenantry' })).body
  return { path: `${at}/webhooks/${id}`, action: `webhook.${verb}`, type: 'webhook', id: String(id) }
}

/** A pending invitation to the account. */
export async function onInvitation({ app, membership }: Fixture, verb: string) {
  const path = `/admin/accounts/${membership.accountId}/invitations`
  const { id } = (await app.platform.post(path, newInvitation())).body
  return { path: `${path}/${id}`, action: `invitation.${verb}`, type: 'invitation', id: String(id) }
}
/** A service account of the account, and its audit entry. */
export async function onServiceAccount({ app, at, membership }: Fixture, verb: string) {
  await app.platform.patch(at, { allowServiceAccounts: true })
  const path = `/admin/accounts/${membership.accountId}/service-accounts`
  const { id } = (await app.platform.post(path, { name: 'Export' })).body
  return { path: `${path}/${id}`, action: `service_account.${verb}`, type: 'service_account', id: String(id) }
}
/** A domain of the account, and its audit entry. */
export async function onDomain({ app, membership }: Fixture, verb: string) {
  const path = `/admin/accounts/${membership.accountId}/domains`
  const { id } = (await app.platform.post(path, { name: `${crypto.randomUUID()}.example` })).body
  return { path: `${path}/${id}`, action: `domain.${verb}`, type: 'domain', id: String(id) }
}
/** A connection of the account, and its audit entry. */
export async function onConnection({ app, membership }: Fixture, verb: string) {
  const path = `/admin/accounts/${membership.accountId}/connections`
  const { id } = (await app.platform.post(path, { name: `Okta ${crypto.randomUUID()}`, kind: 'oidc' })).body
  return { path: `${path}/${id}`, action: `connection.${verb}`, type: 'connection', id: String(id) }
}
export const newInvitation = () => ({ email: `${crypto.randomUUID()}@invited.example` })
