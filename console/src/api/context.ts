/** The signed-in user and what they may do in the context of the page. */
import { useSuspenseQuery } from '@tanstack/react-query'
import {
  type ContextEntry,
  type ContextKind,
  idOf,
  kindOf,
  meQuery,
  useContextKey,
  useRead,
} from './queries.ts'

export const useMe = () => useSuspenseQuery(meQuery).data

type Place = {
  key: string
  kind: ContextKind
  /** The id of the system or account; '' for the installation. */
  id: string
  /** The entry of the user's own contexts; undefined for one that is only viewed. */
  own: ContextEntry | undefined
  /** A user of the whole installation looks at it as its administrator. */
  isViewing: boolean
  canChange: boolean
}

/** The context of the page. */
export function usePlace(): Place {
  const key = useContextKey()
  const { contexts } = useMe()
  const own = contexts.find((each) => each.key === key)
  const isViewing = own === undefined && contexts.some((each) => each.key === 'platform')
  return {
    key,
    kind: kindOf(key),
    id: idOf(key),
    own,
    isViewing,
    canChange: !isViewing && own?.level !== 'viewer',
  }
}

/** The system of the context; undefined for the installation, and until it is known. */
export function useSystemId(): string | undefined {
  const { kind, id, own } = usePlace()
  const isAccount = kind === 'account' && own?.systemId === undefined
  const account = useRead('/admin/accounts/{accountId}', { path: { accountId: id } }, { enabled: isAccount })
  return kind === 'system' ? id : (own?.systemId ?? (isAccount ? account.data?.systemId : undefined))
}
