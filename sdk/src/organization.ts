/**
 * Calls of the admin API with the access token of a user who is an admin of an account (authority `account`).
 * The server decides each call by the roles that the user has at that moment, not by those in the token.
 */
import type { Claims } from './access.ts'
import type { components, operations } from './api.ts'
import type { Admin } from './operations.ts'

type Schemas = components['schemas']
export type Account = Schemas['Account']
export type Membership = Schemas['Membership']
export type Invitation = Schemas['Invitation']
export type Role = Schemas['Role']
export type Profile = Schemas['Profile']
/** The address, and what the membership gets. The admin of an account never receives the link. */
export type NewInvitation = Omit<Schemas['CreateInvitation'], 'notify'>
/** For one address of a batch: the invitation, or the error `code` with which `invite` would be refused. */
export type InvitationResult = Schemas['InvitationResult']
/** All ids that the membership has afterwards, or those to add and to remove. */
export type Change = string[] | { add?: string[]; remove?: string[] }

type Query<O extends keyof operations> = NonNullable<operations[O]['parameters']['query']>

/** The calls that `organization` of the client returns. */
export type Organization = {
  account: {
    get(): Promise<Account>
    /** The name, and whether members see each other. `not_organization` for a personal account. */
    update(changes: Schemas['UpdateAccount']): Promise<Account>
  }

  members: {
    /** One page, the newest members first. `search` is a part of the email address. */
    list(query?: Query<'listAccountMembers'>): Promise<Schemas['MembershipList']>
    /** The members of all pages, each once, even if others join or leave meanwhile. */
    each(query?: Query<'listAccountMembers'>): AsyncGenerator<Membership, void>
    get(membershipId: string): Promise<Membership>
    /**
     * Makes a `pending` member active. `insufficient_authority` in a system with `requireAdminActivation`,
     * where the system or the platform approves.
     */
    approve(membershipId: string): Promise<Membership>
    /** Ends the sessions of the member in this account. `last_admin`: the account must keep an admin. */
    block(membershipId: string): Promise<Membership>
    /** Makes a blocked member active, unless the system or the platform has blocked the member. */
    unblock(membershipId: string): Promise<Membership>
    /** Deletes the membership and ends its sessions. The user remains. */
    remove(membershipId: string): Promise<void>
    /** `insufficient_authority` if the member has a role that only the system assigns. */
    setRoles(membershipId: string, roles: Change): Promise<Membership>
    setProfiles(membershipId: string, profiles: Change): Promise<Membership>
  }

  invitations: {
    /** One page, the newest first. `search` is a part of the email address. */
    list(query?: Query<'listInvitations'>): Promise<Schemas['InvitationList']>
    each(query?: Query<'listInvitations'>): AsyncGenerator<Invitation, void>
    /** Invites one address by email. The response is the same whether or not the address has a user. */
    invite(invitation: NewInvitation): Promise<Invitation>
    /** Invites up to 100 addresses. Returns one result per address, in the order of the call. */
    inviteAll(invitations: NewInvitation[]): Promise<InvitationResult[]>
    /** Sends a new link with a new lifetime. The old link becomes invalid. */
    resend(invitationId: string): Promise<Invitation>
    revoke(invitationId: string): Promise<void>
  }

  roles: {
    /** All roles of the system: the names of the ids in `roles` of members and invitations. */
    list(): Promise<Role[]>
    /** The roles that an admin of an account may assign. */
    assignable(): Promise<Role[]>
  }

  profiles: {
    /** One page of the profiles of the system. */
    list(query?: Query<'listProfiles'>): Promise<Schemas['ProfileList']>
    each(query?: Query<'listProfiles'>): AsyncGenerator<Profile, void>
  }

  /** Every other operation of the admin API with this token, for example `/admin/audit`. */
  admin: Admin
}

type Parts = {
  /** Calls with the user's token. */
  admin: Admin
  /** Verifies the user's token: the account of a path is never that of an unverified one. */
  claims: () => Promise<Claims>
  /** The id of the client's system, which a token does not contain. */
  systemId: (find: () => Promise<string>) => Promise<string>
}

export function organizationOf({ admin, claims, systemId }: Parts): Organization {
  const inAccount = async () => ({ accountId: (await claims()).accountId })
  const account = async () => admin.get('/admin/accounts/{accountId}', { path: await inAccount() })
  const inSystem = async () => ({ systemId: await systemId(async () => (await account()).systemId) })
  const roles = async () => admin.get('/admin/systems/{systemId}/roles', { path: await inSystem() })
  return {
    account: {
      get: account,
      update: async (body) => admin.patch('/admin/accounts/{accountId}', { path: await inAccount(), body }),
    },
    members: membersOf(admin, inAccount),
    invitations: invitationsOf(admin, inAccount),
    roles: {
      list: roles,
      assignable: async () => (await roles()).filter((role) => role.assignableByAccountAdmins),
    },
    profiles: {
      list: async (query = {}) =>
        admin.get('/admin/systems/{systemId}/profiles', { path: await inSystem(), query }),
      async *each(query = {}) {
        yield* admin.each('/admin/systems/{systemId}/profiles', { path: await inSystem(), query })
      },
    },
    admin,
  }
}

type InAccount = () => Promise<{ accountId: string }>

function membersOf(admin: Admin, inAccount: InAccount): Organization['members'] {
  const setStatus = (status: Membership['status']) => (membershipId: string) =>
    admin.patch('/admin/memberships/{membershipId}', { path: { membershipId }, body: { status } })
  return {
    list: async (query = {}) =>
      admin.get('/admin/accounts/{accountId}/members', { path: await inAccount(), query }),
    async *each(query = {}) {
      yield* admin.each('/admin/accounts/{accountId}/members', { path: await inAccount(), query })
    },
    get: (membershipId) => admin.get('/admin/memberships/{membershipId}', { path: { membershipId } }),
    approve: setStatus('active'),
    block: setStatus('blocked'),
    unblock: setStatus('active'),
    remove: (membershipId) => admin.delete('/admin/memberships/{membershipId}', { path: { membershipId } }),
    setRoles: (membershipId, roles) => {
      const body = Array.isArray(roles) ? { roles } : roles
      return admin.patch('/admin/memberships/{membershipId}/roles', { path: { membershipId }, body })
    },
    setProfiles: (membershipId, profiles) => {
      const body = Array.isArray(profiles) ? { profiles } : profiles
      return admin.patch('/admin/memberships/{membershipId}/profiles', { path: { membershipId }, body })
    },
  }
}

function invitationsOf(admin: Admin, inAccount: InAccount): Organization['invitations'] {
  const one = async (invitationId: string) => ({ ...(await inAccount()), invitationId })
  return {
    list: async (query = {}) =>
      admin.get('/admin/accounts/{accountId}/invitations', { path: await inAccount(), query }),
    async *each(query = {}) {
      yield* admin.each('/admin/accounts/{accountId}/invitations', { path: await inAccount(), query })
    },
    invite: async (body) =>
      admin.post('/admin/accounts/{accountId}/invitations', { path: await inAccount(), body }),
    inviteAll: async (invitations) => {
      const body = { invitations }
      const path = await inAccount()
      return (await admin.post('/admin/accounts/{accountId}/invitations/batch', { path, body })).results
    },
    resend: async (invitationId) =>
      admin.post('/admin/accounts/{accountId}/invitations/{invitationId}/resend', {
        path: await one(invitationId),
      }),
    revoke: async (invitationId) =>
      admin.delete('/admin/accounts/{accountId}/invitations/{invitationId}', {
        path: await one(invitationId),
      }),
  }
}
