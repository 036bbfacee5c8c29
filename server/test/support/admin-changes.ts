/** One valid request for each changing operation of the admin API, with its audit entry. */
import { deliveries, identities, totpFactors } from '../../src/database/schema.ts'
import {
  type Change,
  type Fixture,
  logoAt,
  newInvitation,
  onAccount,
  onConnection,
  onDomain,
  onInvitation,
  onMembership,
  onServiceAccount,
  onSession,
  onSystem,
  onUser,
  onWebhook,
} from './admin-fixture.ts'
import { linkMember, noteVerified } from './connections.ts'
import { pngOf } from './png.ts'
import { PASSWORD } from './testing.ts'

const memberOf = ({ membership, user }: Fixture) => ({
  accountId: String(membership.accountId),
  userId: user.id,
  email: user.email,
})

export const CHANGES: Record<string, (fixture: Fixture) => Change | Promise<Change>> = {
  'POST /admin/systems': () => ({
    path: '/admin/systems',
    body: { name: 'Shop' },
    action: 'system.created',
    type: 'system',
  }),
  'PATCH /admin/systems/{systemId}': (fixture) => ({
    path: fixture.at,
    body: { name: 'Other' },
    ...onSystem(fixture, 'updated'),
  }),
  'DELETE /admin/systems/{systemId}': (fixture) => ({ path: fixture.at, ...onSystem(fixture, 'deleted') }),
  'PUT /admin/systems/{systemId}/branding/{image}': (fixture) => ({
    path: `${fixture.at}/branding/logo`,
    image: pngOf(),
    contentType: 'image/png',
    ...onSystem(fixture, 'updated'),
  }),
  'DELETE /admin/systems/{systemId}/branding/{image}': async (fixture) => {
    const path = `${fixture.at}/branding/logo`
    await fixture.app.platform.put(path, pngOf(), { 'content-type': 'image/png' })
    return { path, ...onSystem(fixture, 'updated') }
  },
  'PUT /admin/systems/{systemId}/email-texts/{kind}/{locale}': (fixture) => ({
    path: `${fixture.at}/email-texts/access_approved/en`,
    body: { subject: 'Welcome' },
    ...onSystem(fixture, 'email_text_updated'),
  }),
  'DELETE /admin/systems/{systemId}/email-texts/{kind}/{locale}': async (fixture) => {
    const path = `${fixture.at}/email-texts/access_approved/en`
    await fixture.app.platform.put(path, { subject: 'Welcome' })
    return { path, ...onSystem(fixture, 'email_text_reset') }
  },
  'POST /admin/systems/{systemId}/rotate-secret': (fixture) => ({
    path: `${fixture.at}/rotate-secret`,
    ...onSystem(fixture, 'secret_rotated'),
  }),
  'POST /admin/accounts/{accountId}/invitations': ({ membership }) => ({
    path: `/admin/accounts/${membership.accountId}/invitations`,
    body: newInvitation(),
    action: 'invitation.created',
    type: 'invitation',
  }),
  'POST /admin/accounts/{accountId}/invitations/batch': ({ membership }) => ({
    path: `/admin/accounts/${membership.accountId}/invitations/batch`,
    body: { invitations: [newInvitation()] },
    action: 'invitation.created',
    type: 'invitation',
  }),
  'POST /admin/accounts/{accountId}/invitations/{invitationId}/resend': async (fixture) => {
    const { path, ...entry } = await onInvitation(fixture, 'resent')
    return { path: `${path}/resend`, ...entry }
  },
  'DELETE /admin/accounts/{accountId}/invitations/{invitationId}': (fixture) =>
    onInvitation(fixture, 'revoked'),
  'POST /admin/accounts/{accountId}/service-accounts': async (fixture) => {
    const { path, action, type } = await onServiceAccount(fixture, 'created')
    return { path: path.slice(0, path.lastIndexOf('/')), body: { name: 'Other' }, action, type }
  },
  'PATCH /admin/accounts/{accountId}/service-accounts/{serviceAccountId}': async (fixture) => ({
    ...(await onServiceAccount(fixture, 'updated')),
    body: { name: 'Import' },
  }),
  'DELETE /admin/accounts/{accountId}/service-accounts/{serviceAccountId}': (fixture) =>
    onServiceAccount(fixture, 'deleted'),
  'POST /admin/accounts/{accountId}/service-accounts/{serviceAccountId}/keys': async (fixture) => {
    const { path, ...entry } = await onServiceAccount(fixture, 'key_created')
    return { path: `${path}/keys`, body: {}, ...entry }
  },
  'DELETE /admin/accounts/{accountId}/service-accounts/{serviceAccountId}/keys/{keyId}': async (fixture) => {
    const { path, ...entry } = await onServiceAccount(fixture, 'key_revoked')
    const { id } = (await fixture.app.platform.post(`${path}/keys`, {})).body
    return { path: `${path}/keys/${id}`, ...entry }
  },
  'POST /admin/accounts/{accountId}/domains': ({ membership }) => ({
    path: `/admin/accounts/${membership.accountId}/domains`,
    body: { name: 'acme.example' },
    action: 'domain.added',
    type: 'domain',
  }),
  'PATCH /admin/accounts/{accountId}/domains/{domainId}': async (fixture) => ({
    ...(await onDomain(fixture, 'updated')),
    body: { subdomains: true },
  }),
  'DELETE /admin/accounts/{accountId}/domains/{domainId}': (fixture) => onDomain(fixture, 'removed'),
  'POST /admin/accounts/{accountId}/domains/{domainId}/check': async (fixture) => {
    const { path, ...entry } = await onDomain(fixture, 'check_requested')
    return { path: `${path}/check`, ...entry }
  },
  'POST /admin/accounts/{accountId}/connections': ({ membership }) => ({
    path: `/admin/accounts/${membership.accountId}/connections`,
    body: { name: 'Okta', kind: 'oidc' },
    action: 'connection.created',
    type: 'connection',
  }),
  'PATCH /admin/accounts/{accountId}/connections/{connectionId}': async (fixture) => ({
    ...(await onConnection(fixture, 'updated')),
    body: { sessionHours: 8 },
  }),
  'DELETE /admin/accounts/{accountId}/connections/{connectionId}': (fixture) =>
    onConnection(fixture, 'deleted'),
  'POST /admin/accounts/{accountId}/connections/{connectionId}/test': async (fixture) => {
    const { path, ...entry } = await onConnection(fixture, 'test_requested')
    const settings = { issuer: 'https://acme.okta.com', clientId: 'a', clientSecret: 'b' }
    await fixture.app.platform.patch(path, settings)
    return { path: `${path}/test`, ...entry }
  },
  'DELETE /admin/accounts/{accountId}/connections/{connectionId}/sessions': async (fixture) => {
    const { path, ...entry } = await onConnection(fixture, 'sessions_ended')
    return { path: `${path}/sessions`, ...entry }
  },
  'POST /admin/accounts/{accountId}/connections/{connectionId}/links': async (fixture) => {
    const { path, ...entry } = await onConnection(fixture, 'linked')
    await noteVerified(fixture.app, String(fixture.membership.accountId), fixture.user.email)
    return { path: `${path}/links`, body: { links: [{ subject: 'one', userId: fixture.user.id }] }, ...entry }
  },
  'DELETE /admin/accounts/{accountId}/connections/{connectionId}/links': async (fixture) => {
    const { path, ...entry } = await onConnection(fixture, 'unlinked')
    await linkMember(fixture.app, { ...memberOf(fixture), connectionId: entry.id })
    return { path: `${path}/links`, ...entry }
  },
  'DELETE /admin/accounts/{accountId}/members/{membershipId}/link': async (fixture) => {
    const { path: _, ...entry } = await onConnection(fixture, 'unlinked')
    await linkMember(fixture.app, { ...memberOf(fixture), connectionId: entry.id })
    const { accountId, id } = fixture.membership
    return { path: `/admin/accounts/${accountId}/members/${id}/link`, ...entry }
  },
  'POST /admin/systems/{systemId}/roles': ({ at }) => ({
    path: `${at}/roles`,
    body: { name: 'clerk' },
    action: 'role.created',
    type: 'role',
  }),
  'PATCH /admin/systems/{systemId}/roles/{roleId}': ({ at, roleId }) => ({
    path: `${at}/roles/${roleId}`,
    body: { name: 'chief' },
    action: 'role.updated',
    type: 'role',
    id: roleId,
  }),
  'DELETE /admin/systems/{systemId}/roles/{roleId}': ({ at, roleId }) => ({
    path: `${at}/roles/${roleId}`,
    action: 'role.deleted',
    type: 'role',
    id: roleId,
  }),
  'POST /admin/systems/{systemId}/profiles': ({ at }) => ({
    path: `${at}/profiles`,
    body: { name: 'nurse' },
    action: 'profile.created',
    type: 'profile',
  }),
  'PATCH /admin/systems/{systemId}/profiles/{profileId}': ({ at, profileId }) => ({
    path: `${at}/profiles/${profileId}`,
    body: { name: 'nurse' },
    action: 'profile.updated',
    type: 'profile',
    id: profileId,
  }),
  'DELETE /admin/systems/{systemId}/profiles/{profileId}': ({ at, profileId }) => ({
    path: `${at}/profiles/${profileId}`,
    action: 'profile.deleted',
    type: 'profile',
    id: profileId,
  }),
  'POST /admin/systems/{systemId}/webhooks': ({ at }) => ({
    path: `${at}/webhooks`,
    body: { url: 'https://hooks.example/tenantry' },
    action: 'webhook.created',
    type: 'webhook',
  }),
  'PATCH /admin/systems/{systemId}/webhooks/{webhookId}': async (fixture) => ({
    ...(await onWebhook(fixture, 'updated')),
    body: { enabled: false },
  }),
  'DELETE /admin/systems/{systemId}/webhooks/{webhookId}': (fixture) => onWebhook(fixture, 'deleted'),
  'POST /admin/systems/{systemId}/webhooks/{webhookId}/rotate-secret': async (fixture) => {
    const { path, ...entry } = await onWebhook(fixture, 'secret_rotated')
    return { path: `${path}/rotate-secret`, ...entry }
  },
  'POST /admin/systems/{systemId}/webhooks/{webhookId}/test': async (fixture) => {
    const { path, ...entry } = await onWebhook(fixture, 'tested')
    return { path: `${path}/test`, ...entry }
  },
  'POST /admin/systems/{systemId}/webhooks/{webhookId}/resend': async (fixture) => {
    const { path, ...entry } = await onWebhook(fixture, 'resent')
    return { path: `${path}/resend`, body: { after: '2000-01-01T00:00:00Z' }, ...entry }
  },
  'POST /admin/systems/{systemId}/webhooks/{webhookId}/deliveries/{deliveryId}/resend': async (fixture) => {
    const { path, ...entry } = await onWebhook(fixture, 'resent')
    const [event] = await fixture.app.findEvents({ membershipId: fixture.membership.id })
    const delivery = {
      webhookId: entry.id,
      eventSeq: event!.seq,
      orderedBy: fixture.membership.id,
      status: 'failed' as const,
    }
    const [{ id } = { id: '' }] = await fixture.app.db.insert(deliveries).values(delivery).returning()
    return { path: `${path}/deliveries/${id}/resend`, ...entry }
  },
  'POST /admin/users': () => ({
    path: '/admin/users',
    body: { email: `${crypto.randomUUID()}@example.test` },
    action: 'user.created',
    type: 'user',
  }),
  'POST /admin/users/import': () => ({
    path: '/admin/users/import',
    body: { email: `${crypto.randomUUID()}@example.test` },
    contentType: 'application/x-ndjson',
    action: 'user.created',
    type: 'user',
  }),
  'PATCH /admin/users/{userId}': (fixture) => ({
    path: fixture.ofUser,
    body: { name: 'Bob' },
    ...onUser(fixture, 'updated'),
  }),
  'DELETE /admin/users/{userId}': (fixture) => ({ path: fixture.ofUser, ...onUser(fixture, 'deleted') }),
  'POST /admin/users/{userId}/set-password': (fixture) => ({
    path: `${fixture.ofUser}/set-password`,
    body: { password: `${PASSWORD}!` },
    ...onUser(fixture, 'password_set'),
  }),
  'POST /admin/users/{userId}/reset-password': (fixture) => ({
    path: `${fixture.ofUser}/reset-password`,
    ...onUser(fixture, 'password_reset'),
  }),
  'POST /admin/users/{userId}/send-password-reset': (fixture) => ({
    path: `${fixture.ofUser}/send-password-reset`,
    ...onUser(fixture, 'password_reset_sent'),
  }),
  'POST /admin/users/{userId}/resend-verification': (fixture) => ({
    path: `${fixture.ofUser}/resend-verification`,
    ...onUser(fixture, 'verification_sent'),
  }),
  'POST /admin/users/{userId}/disable-mfa': async (fixture) => {
    const factor = { userId: fixture.user.id, sealedSecret: Buffer.from('sealed'), confirmedAt: new Date() }
    await fixture.app.db.insert(totpFactors).values(factor)
    return { path: `${fixture.ofUser}/disable-mfa`, ...onUser(fixture, 'mfa_disabled') }
  },
  'DELETE /admin/users/{userId}/factors/{factorId}': async (fixture) => {
    const id = crypto.randomUUID()
    const factor = { userId: fixture.user.id, sealedSecret: Buffer.from('sealed'), confirmedAt: new Date() }
    await fixture.app.db.insert(totpFactors).values({ ...factor, id })
    return { path: `${fixture.ofUser}/factors/${id}`, ...onUser(fixture, 'factor_removed') }
  },
  'DELETE /admin/limits': (fixture) => ({
    path: `/admin/limits?userId=${fixture.user.id}`,
    ...onUser(fixture, 'limits_cleared'),
  }),
  'DELETE /admin/users/{userId}/social/{provider}': async (fixture) => {
    await fixture.app.db
      .insert(identities)
      .values({ userId: fixture.user.id, provider: 'google', issuer: 'google', subject: fixture.user.id })
    return { path: `${fixture.ofUser}/social/google`, ...onUser(fixture, 'identity_removed') }
  },
  'PATCH /admin/accounts/{accountId}': (fixture) => ({
    path: `/admin/accounts/${fixture.membership.accountId}`,
    body: { name: 'Acme' },
    ...onAccount(fixture, 'updated'),
  }),
  'PUT /admin/accounts/{accountId}/branding/logo': (fixture) => ({
    path: logoAt(fixture),
    image: pngOf(),
    contentType: 'image/png',
    ...onAccount(fixture, 'updated'),
  }),
  'DELETE /admin/accounts/{accountId}/branding/logo': async (fixture) => {
    const path = logoAt(fixture)
    await fixture.app.platform.put(path, pngOf(), { 'content-type': 'image/png' })
    return { path, ...onAccount(fixture, 'updated') }
  },
  'POST /admin/systems/{systemId}/accounts': ({ at }) => ({
    path: `${at}/accounts`,
    body: { name: 'Acme' },
    action: 'account.created',
    type: 'account',
  }),
  'DELETE /admin/accounts/{accountId}': (fixture) => ({
    path: `/admin/accounts/${fixture.membership.accountId}`,
    ...onAccount(fixture, 'deleted'),
  }),
  'POST /admin/memberships': async ({ app, membership }) => ({
    path: '/admin/memberships',
    body: { userId: (await app.newUser()).id, accountId: membership.accountId },
    action: 'membership.created',
    type: 'membership',
  }),
  'PATCH /admin/memberships/{membershipId}': (fixture) => ({
    path: fixture.ofMembership,
    body: { status: 'blocked' },
    ...onMembership(fixture, 'blocked'),
  }),
  'DELETE /admin/memberships/{membershipId}': (fixture) => ({
    path: fixture.ofMembership,
    ...onMembership(fixture, 'deleted'),
  }),
  'PATCH /admin/memberships/{membershipId}/roles': (fixture) => ({
    path: `${fixture.ofMembership}/roles`,
    body: { roles: [fixture.roleId] },
    ...onMembership(fixture, 'roles_changed'),
  }),
  'PATCH /admin/memberships/{membershipId}/profiles': (fixture) => ({
    path: `${fixture.ofMembership}/profiles`,
    body: { profiles: [fixture.profileId] },
    ...onMembership(fixture, 'profiles_changed'),
  }),
  'DELETE /admin/sessions/{jti}': async (fixture) => {
    const session = await onSession(fixture)
    return { path: `/admin/sessions/${session.id}`, ...session }
  },
  'DELETE /admin/sessions/by-user/{userId}': async (fixture) => ({
    path: `/admin/sessions/by-user/${fixture.user.id}`,
    ...(await onSession(fixture)),
  }),
  'DELETE /admin/sessions/by-system/{systemId}': async (fixture) => ({
    path: `/admin/sessions/by-system/${fixture.system.id}`,
    ...(await onSession(fixture)),
  }),
  'POST /admin/keys/rotate': () => ({
    path: '/admin/keys/rotate',
    action: 'signing_keys.rotated',
    type: 'installation',
    id: 'signing_keys',
  }),
  'POST /admin/mail/test': ({ user }) => ({
    path: '/admin/mail/test',
    body: { email: user.email },
    action: 'mail.tested',
    type: 'email',
  }),
  'POST /admin/systems/{systemId}/test-sign-ins': ({ system }) => ({
    path: `/admin/systems/${system.id}/test-sign-ins`,
    body: {},
    action: 'test_sign_in.created',
    type: 'test_sign_in',
  }),
  'POST /admin/operators': (fixture) => ({
    path: '/admin/operators',
    body: { userId: fixture.user.id, systemId: fixture.system.id, level: 'viewer' },
    action: 'operator.created',
    type: 'user',
    id: fixture.user.id,
  }),
  'DELETE /admin/operators/{operatorId}': async ({ app, user }) => {
    const { body } = await app.platform.post('/admin/operators', { userId: user.id, level: 'admin' })
    return { path: `/admin/operators/${body.id}`, action: 'operator.deleted', type: 'user', id: user.id }
  },
}
