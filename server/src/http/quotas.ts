/**
 * How much a system can create, so that no tenant enlarges the answers, tokens and tables that it shares with
 * others. docs/limits.md lists these limits with all others.
 */
import { Failure } from '../errors.ts'

const QUOTAS = {
  rolesOfSystem: { max: 500, of: 'roles in a system' },
  profilesOfSystem: { max: 500, of: 'profiles in a system' },
  webhooksOfSystem: { max: 20, of: 'webhooks in a system' },
  rolesOfMembership: { max: 50, of: 'roles in a membership or of a service account' },
  profilesOfMembership: { max: 50, of: 'profiles in a membership' },
  scopesOfToken: { max: 500, of: 'different scopes in the roles of a membership or service account' },
  scopeBytesOfToken: {
    max: 8_192,
    of: 'bytes in the names and scopes of the roles of a membership or service account',
  },
  profileBytesOfToken: { max: 2_048, of: 'bytes in the names of the profiles of a membership' },
  usersWithoutMembership: {
    max: 20_000,
    of: 'users that the system created and that have had no membership in it',
  },
  usersOfConnections: {
    max: 100_000,
    of: 'users that connections of an account created and that have nothing else',
  },
  accountsWithoutMember: {
    max: 20_000,
    of: 'accounts of a system that were created without a member and have had none',
  },
  invitationsOfAccount: { max: 1_000, of: 'pending invitations of an account' },
  serviceAccountsOfAccount: { max: 50, of: 'service accounts of an account' },
  connectionsOfAccount: { max: 5, of: 'connections of an account' },
  domainsOfAccount: { max: 50, of: 'domains of an account' },
  keysOfServiceAccount: { max: 5, of: 'keys of a service account' },
  testSignInsOfSystem: { max: 50, of: 'tests of the sign-in of a system that have not expired' },
  membershipsOfUser: { max: 1_000, of: 'memberships of a user in a system' },
} as const satisfies Record<string, { max: number; of: string }>

type Quota = keyof typeof QUOTAS

/** Throws `limit_reached` if there would be more than the limit allows. */
export function demandQuota(name: Quota, count: number): void {
  const { max, of } = QUOTAS[name]
  if (count > max)
    throw new Failure('limit_reached', { detail: `${name}: at most ${max.toLocaleString('en')} ${of}.` })
}

export const quotaOf = (name: Quota): number => QUOTAS[name].max

/** The limit as text, for descriptions. */
export const quotaText = (name: Quota): string => QUOTAS[name].max.toLocaleString('en')

/** In bytes of JSON: `metadata` of a user, `attributes` of a profile. */
export const OBJECT_BYTES_MAX = 16_384
