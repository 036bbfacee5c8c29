import { usePlace } from '../../api/context.ts'
import { type Answer, useRead } from '../../api/queries.ts'

export const PATH = '/admin/accounts/{accountId}/domains'
export type Domain = Answer<typeof PATH>[number]
export type Account = Answer<'/admin/accounts/{accountId}'>

/** 3 s, in ms: while a check is due, the list is read again after so long. */
const CHECKING = 3_000

/** The domains of an organization, read again while one is checked. */
export function useDomains({ id: accountId }: Account) {
  const given = { path: { accountId } }
  const read = useRead(PATH, given)
  const isChecking = read.data?.some(({ checking }) => checking) ?? false
  useRead(PATH, given, { enabled: isChecking, ...(isChecking && { refetchInterval: CHECKING }) })
  return read
}

/** Whether the caller sets up domains and connections; undefined until it is known. */
export function useSetsUp({ systemId, ssoSelfService }: Account): boolean | undefined {
  const { kind, canChange, own } = usePlace()
  const isReadable = kind !== 'account' // an admin of an organization does not read the application
  const system = useRead('/admin/systems/{systemId}', { path: { systemId } }, { enabled: isReadable })
  if (!canChange) return false
  if (!isReadable) return ssoSelfService || own?.setsUpSso
  return system.data && system.data.organizationSso !== 'off'
}

const RANKS = ['platform', 'system', 'account'] as const

/** Whether a higher authority than that of the context has added the domain or the connection. */
export const isAbove = ({ setBy }: Pick<Domain, 'setBy'>, kind: (typeof RANKS)[number]): boolean =>
  RANKS.indexOf(setBy) < RANKS.indexOf(kind)
