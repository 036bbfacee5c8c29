import { usePlace } from '../../api/context.ts'
import { type Answer, useRead } from '../../api/queries.ts'

export const PATH = '/admin/accounts/{accountId}/service-accounts'
export type ServiceAccount = Answer<typeof PATH>[number]
export type Key = ServiceAccount['keys'][number]

/**
 * Whether a service account has a role that only the application assigns: an admin of the organization only
 * revokes its keys.
 */
export function useIsReserved({ systemId }: Account): (of: ServiceAccount) => boolean {
  const { kind } = usePlace()
  const path = { systemId }
  const roles = useRead('/admin/systems/{systemId}/roles', { path }, { enabled: kind === 'account' })
  const all = kind === 'account' ? (roles.data ?? []) : []
  const reserved = new Set(all.filter((role) => !role.assignableByAccountAdmins).map(({ id }) => id))
  return (of) => of.roles.some((id) => reserved.has(id))
}

export type Account = { id: string; systemId: string }

/** Whether the application of an organization allows service accounts; undefined until it is known. */
export function useIsAllowed({ systemId }: Account): boolean | undefined {
  const { kind, own } = usePlace()
  const isReadable = kind !== 'account' // an admin of an organization does not read the application
  const system = useRead('/admin/systems/{systemId}', { path: { systemId } }, { enabled: isReadable })
  return isReadable ? system.data?.allowServiceAccounts : own?.allowsServiceAccounts
}
