import { type Answer, useRead } from '../../api/queries.ts'

export const PATH = '/admin/accounts/{accountId}/connections'
export const ONE = `${PATH}/{connectionId}` as const

export type Account = Answer<'/admin/accounts/{accountId}'>
export type Connection = Answer<typeof ONE>
export type Attempt = Answer<`${typeof ONE}/attempts`>[number]
export type ConnectionLink = Answer<`${typeof ONE}/links`>['data'][number]

export const pathOf = ({ accountId, id }: Pick<Connection, 'accountId' | 'id'>) => ({
  accountId,
  connectionId: id,
})

/** The host of the provider. */
export const hostOf = ({ issuer }: Pick<Connection, 'issuer'>): string | undefined =>
  issuer !== null && URL.canParse(issuer) ? new URL(issuer).host : undefined

/** The roles that a connection may give to the members whom it adds, and those that it has. */
export function useGivenRoles({ systemId, defaultRoles }: Pick<Connection, 'systemId' | 'defaultRoles'>) {
  const roles = useRead('/admin/systems/{systemId}/roles', { path: { systemId } })
  return roles.data?.filter(
    ({ id, isAdmin, canActForMembers }) => defaultRoles.includes(id) || (!isAdmin && !canActForMembers),
  )
}
