/** An organization that is used in every way that there is. */
import { consoleClient, signInToConsole } from './console.ts'
import { type App, approve, askAs } from './device.ts'
import { expectStatus } from './http.ts'
import { invited, newOrganization } from './invitations.ts'
import { visitorOf } from './organizations.ts'

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

const SETTINGS = { allowServiceAccounts: true, allowActingForMembers: true, allowDeviceFlow: true }

/** An organization, with an account of the support in the same system. */
export async function usedOrganization(app: App) {
  const org = await newOrganization(app, SETTINGS)
  const { system, accountId, admin } = org
  const support = await app.newRole(system.id, { canActForMembers: true, assignableByAccountAdmins: false })
  const join = async (fields: object) => {
    const user = await app.newUser()
    const membership = await app.newMembership({ userId: user.id, status: 'active', ...fields })
    return {
      user,
      email: String(user.email),
      membershipId: String(membership.id),
      accountId: membership.accountId,
    }
  }
  const member = await join({ accountId })
  const agentHere = await join({ accountId, roles: [support.id] })
  const agent = await join({ systemId: system.id, accountName: 'Support', roles: [support.id] })
  const outside = await join({ accountId: agent.accountId })
  const tokens = await app.signIn(system, { email: member.email })
  const list = `/admin/accounts/${accountId}/service-accounts`
  const program = expectStatus(await org.account.post(list, { name: 'Export' }), 201).body
  const key = expectStatus(await org.account.post(`${list}/${program.id}/keys`, {}), 201).body
  const asked = await askAs(app, system)
  const device = app.newBrowser()
  await approve(device, asked.user_code, member.email)
  const pages = await visitorOf(app, { accountId }, admin as never)
  const browser = app.newBrowser()
  await signInToConsole(browser, admin as never)
  const inConsole = consoleClient(app.url, browser, admin as never, `account:${accountId}`)
  const actFor = async (actor: { email: string }, membershipId: string) => {
    const { access_token } = await app.signIn(system, { email: actor.email })
    return () =>
      app.token(system, {
        grant_type: EXCHANGE,
        subject_token: membershipId,
        subject_token_type: 'urn:tenantry:params:oauth:token-type:membership',
        actor_token: access_token,
        actor_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        reason: 'Ticket 4711',
      })
  }
  return {
    ...org,
    member,
    tokens,
    key: { clientId: String(program.clientId), clientSecret: String(key.secret) },
    asked,
    code: await app.authorize(system, { email: member.email }),
    invitation: await invited(app, org),
    pages,
    inConsole,
    actForMember: await actFor(agent, member.membershipId),
    actAsMember: await actFor(agentHere, outside.membershipId),
    setStatus: (status: string, by = org.service) => by.patch(`/admin/accounts/${accountId}`, { status }),
  }
}
