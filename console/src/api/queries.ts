/** What the pages read and change. The key of a query is [context, path, parameters]. */
import {
  type FetchQueryOptions,
  keepPreviousData,
  type Query,
  QueryClient,
  replaceEqualDeep,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { paths } from '../../../sdk/src/api.ts'
import type {
  Admin,
  AdminPath,
  Answer as OperationAnswer,
  Given as OperationGiven,
} from '../../../sdk/src/operations.ts'
import { apiOf, type ContextKey, callAs, SIGN_IN_CODES, send } from './call.ts'
import { Problem } from './problem.ts'

/** 10 s, in ms. */
const FRESH = 10_000
/** 1 s, in ms: the time in which a page is shown after its loader has begun to read. */
const JUST_NOW = 1_000

/**
 * A page shows the error that its loader has just met, and does not read again. A sign-in that is required is
 * asked for when the page reads.
 */
const isRepeated = ({ state: { error, errorUpdatedAt } }: Pick<Query<unknown, Error, unknown>, 'state'>) =>
  Date.now() - errorUpdatedAt > JUST_NOW || (error instanceof Problem && SIGN_IN_CODES.includes(error.code))

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH,
      retryOnMount: isRepeated,
      // A response stays the object that was read, whose version is known (call.ts).
      structuralSharing: (before, after) =>
        before !== undefined && replaceEqualDeep(before, after) === before ? before : after,
      retry: (count, error) =>
        count < 2 && error instanceof Problem && (error.status === 0 || error.status >= 502),
    },
    mutations: { retry: false, gcTime: 0 }, // a response may contain a secret
  },
})

type Me = {
  user: {
    id: string
    email: string
    name: string | null
    locale: string | null
    hasSecondFactor: boolean
  }
  contexts: ContextEntry[]
  more: boolean
  /** `sendsEmail`: false without SMTP, emails are then files on the server. */
  installation: { baseUrl: string; sendsEmail: boolean }
}

export type { ContextKey }
export type ContextEntry = {
  key: ContextKey
  name: string
  level: 'admin' | 'viewer'
  systemId?: string
  systemName?: string
  /** Whether an account can have service accounts. */
  allowsServiceAccounts?: boolean
  /** It can, or has some that have remained. */
  hasServiceAccounts?: boolean
  /** Whether its administrators may set up single sign-on. */
  setsUpSso?: boolean
  /** They may, or there are connections or domains. */
  hasSso?: boolean
}

export const meQuery = {
  queryKey: ['me'],
  queryFn: async (): Promise<Me> => (await send('/me')).json(),
  staleTime: 60_000,
}

/** The context of the page. */
export const useContextKey = (): ContextKey => useParams({ strict: false }).context ?? 'platform'

export type ContextKind = 'platform' | 'system' | 'account'
export const kindOf = (key: ContextKey): ContextKind => key.split(':')[0] as ContextKind
/** The id of the system or account of a context; '' for the installation. */
export const idOf = (key: ContextKey): string => key.split(':')[1] ?? ''

type GetPath = AdminPath<'get'>

/** The parameters of an operation that reads. */
export type Given<P extends GetPath> = Partial<Pick<OperationGiven<paths[P]['get']>, 'path' | 'query'>>
/** Its response. */
export type Answer<P extends GetPath> = OperationAnswer<paths[P]['get']>
/** An item of a list. */
export type Item<P extends GetPath> = Answer<P> extends { data: (infer T)[] } ? T : never

type Get = (path: string, given: object) => Promise<unknown>

/** What a query function is given. */
type Reading = { signal: AbortSignal; meta?: Record<string, unknown> | undefined }

/**
 * The query of an operation in a context, for `useQuery` and `queryClient`. A preload asks for no sign-in,
 * unless its page is shown by then.
 */
export function readQuery<P extends GetPath>(context: ContextKey, path: P, given: Given<P> = {}) {
  const queryKey: readonly unknown[] = [context, path, given]
  const isShown = () => queryClient.isFetching({ queryKey, type: 'active' }) > 0
  const queryFn = ({ signal, meta }: Reading) => {
    const { get } = apiOf(context, meta?.isPreload ? isShown : undefined)
    return (get as Get)(path, { ...given, signal }) as Promise<Answer<P>>
  }
  return { queryKey, queryFn }
}

/** The query of a resource that the page changes: `versionOf` has its version. */
export function versionedQuery<P extends GetPath>(context: ContextKey, path: P, given: Given<P> = {}) {
  const { queryKey, queryFn } = readQuery(context, path, given)
  return { queryKey: [...queryKey, 'version'], queryFn, structuralSharing: false as const }
}

type Preloaded = Pick<FetchQueryOptions, 'queryKey' | 'structuralSharing'> & {
  queryFn: (reading: Reading) => Promise<unknown>
}

/**
 * Begins to read what a page shows, while its code is loaded or a pointer is on its link. The page finds the
 * same queries in the cache. It shows their errors, so none is thrown here, and nothing waits.
 */
export function preload(queries: readonly Preloaded[]): void {
  const read = ({ user }: Me) => {
    callAs(user.id)
    for (const query of queries) void queryClient.prefetchQuery({ ...query, meta: { isPreload: true } })
  }
  queryClient.ensureQueryData(meQuery).then(read, () => {}) // the shell says why the user is not known
}

/** Reads an operation in the context of the page. The previous response is shown until the next arrives. */
export function useRead<P extends GetPath>(
  path: P,
  given: Given<P> = {},
  options: { enabled?: boolean; refetchInterval?: number } = {},
) {
  const context = useContextKey()
  return useQuery({ ...readQuery(context, path, given), placeholderData: keepPreviousData, ...options })
}

/** Reads a resource that the page changes. */
export const useVersioned = <P extends GetPath>(path: P, given: Given<P> = {}) =>
  useQuery(versionedQuery(useContextKey(), path, given))

/** Changes something with the operations of the context, and reads everything of the context again. */
export function useChange<Input, Output>(
  change: (api: Admin, input: Input) => Promise<Output>,
  { onSuccess }: { onSuccess?: (output: Output, input: Input) => void } = {},
) {
  const context = useContextKey()
  const client = useQueryClient()
  return useMutation<Output, Error, Input>({
    mutationFn: (input) => change(apiOf(context), input),
    onSuccess: (output, input) => {
      void client.invalidateQueries({ queryKey: [context] })
      onSuccess?.(output, input)
    },
  })
}
