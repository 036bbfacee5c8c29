import { Problem } from '../../api/problem.ts'
import { type Answer, useRead } from '../../api/queries.ts'
import { textNamed } from '../../texts/texts.ts'
import { messageOf } from '../Failed.tsx'

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

/** The host of the provider. The issuer of a SAML provider can be any text. */
export const hostOf = ({ issuer, ssoUrl }: Pick<Connection, 'issuer' | 'ssoUrl'>): string | undefined =>
  [issuer, ssoUrl]
    .map((url) => (url !== null && URL.canParse(url) ? new URL(url).host : ''))
    .find((host) => host !== '')

/** 30 days, in ms: so long before its end a secret or a certificate is marked. */
const ENDS_SOON = 30 * 86_400_000

/** How near an end is. */
export function endOf(time: string | null | undefined): 'ended' | 'soon' | undefined {
  const left = time ? Date.parse(time) - Date.now() : Number.POSITIVE_INFINITY
  return left <= 0 ? 'ended' : left <= ENDS_SOON ? 'soon' : undefined
}

/** For `catch`: an error that names no field is about one, by its code. */
export const atField =
  (fields: Readonly<Record<string, string>>) =>
  (error: unknown): never => {
    const field = error instanceof Problem && error.errors.length === 0 && textNamed(fields, error.code)
    if (!(error instanceof Problem) || !field) throw error
    const { status, code, detail, requestId, retryAfter } = error
    const message = [messageOf(error), detail].filter((text, at, all) => text && all.indexOf(text) === at)
    const errors = [{ path: `/${field}`, message: message.join(' ') }]
    throw new Problem(status, { code, detail, requestId, errors }, retryAfter, { cause: error })
  }

/** The roles that a connection may give to the members whom it adds, and those that it has. */
export function useGivenRoles({ systemId, defaultRoles }: Pick<Connection, 'systemId' | 'defaultRoles'>) {
  const roles = useRead('/admin/systems/{systemId}/roles', { path: { systemId } })
  return roles.data?.filter(
    ({ id, isAdmin, canActForMembers }) => defaultRoles.includes(id) || (!isAdmin && !canActForMembers),
  )
}
