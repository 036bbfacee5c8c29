/** An organization whose admin invites, and the links of its emails. */
import { expectStatus } from './http.ts'
import { word } from './sample-names.ts'
import type { Driver } from './testing.ts'

/** The callers of each authority over one organization. */
export async function newOrganization(app: Driver, fields: object = {}) {
  const system = await app.newSystem({
    multiAccount: true,
    skipConsent: true,
    allowClientCredentials: true,
    ...fields,
  })
  const admins = await app.newRole(system.id, { isAdmin: true })
  const role = await app.newRole(system.id)
  const admin = await app.newUser({ name: 'Ana Lima' })
  const { accountId } = await app.newMembership({
    userId: admin.id,
    systemId: system.id,
    accountName: `Acme ${word()}`,
    roles: [admins.id],
    status: 'active',
  })
  const { access_token } = await app.signIn(system, { email: admin.email })
  const path = `/admin/accounts/${accountId}/invitations`
  return {
    system,
    admin,
    admins,
    role,
    accountId: String(accountId),
    path,
    account: app.as(access_token),
    service: await app.serviceOf(system),
  }
}

export const newAddress = () => `${crypto.randomUUID()}@invited.example`

/** The path of the link in the last email to an address. */
export async function invitationLinkTo(app: Driver, email: string): Promise<string> {
  const mails = (await app.emailsTo(email)).filter(({ kind }) => kind === 'invitation')
  const link = /https?:\S+\/invitation\?token=\S+/.exec(mails.at(-1)?.text ?? '')
  if (!link) throw new Error(`no invitation was sent to ${email}`)
  const { pathname, search } = new URL(link[0])
  return pathname + search
}

/** Invites an address as the admin of the account. */
export async function invited(
  app: Driver,
  { account, path, role }: Pick<Awaited<ReturnType<typeof newOrganization>>, 'account' | 'path' | 'role'>,
  email = newAddress(),
) {
  const { body } = expectStatus(await account.post(path, { email, roles: [role.id] }), 201)
  return { email, invitation: body, link: await invitationLinkTo(app, email) }
}
