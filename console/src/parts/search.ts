/** The parameters of addresses: what a page shows, such as filters, the page of a list, the tab. */
import { useNavigate, useSearch } from '@tanstack/react-router'

type Types = { text: string; number: number }
type Shape = Record<string, keyof Types>
type Search<S extends Shape> = { [Name in keyof S]?: Types[S[Name]] | undefined }

const DEFAULT_PAGE_SIZE = 25

/** The parameters of a page with a list. */
export const LIST = { page: 'number', pageSize: 'number', search: 'text', order: 'text' } as const

/** Parameters that are texts. */
export const textsOf = <const Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, 'text'])) as Record<Name, 'text'>

function parameterOf(type: keyof Types, given: unknown): string | number | undefined {
  if (typeof given !== 'string' && typeof given !== 'number' && typeof given !== 'boolean') return undefined
  if (type === 'text') return String(given)
  return Number.isFinite(Number(given)) ? Number(given) : undefined
}

/** Reads the parameters of a page from its address. Others are left out. */
export const searchOf =
  <const S extends Shape>(shape: S) =>
  (given: Record<string, unknown>): Search<S> => {
    const values = Object.entries(shape).map(
      ([name, type]) => [name, parameterOf(type, given[name])] as const,
    )
    return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Search<S>
  }

/** What an operation with pages is given: those of `names`, and the page, its size, order and search. */
export function listOf<Name extends string>(
  search: Search<typeof LIST> & { [N in Name]?: string | number | undefined },
  names: readonly Name[] = [],
) {
  const given = ([...names, 'order'] as const).map((name) => [name, String(search[name] ?? '')] as const)
  return {
    page: search.page ?? 1,
    pageSize: search.pageSize ?? DEFAULT_PAGE_SIZE,
    ...(search.search && { search: search.search }),
    ...Object.fromEntries(given.filter(([, value]) => value !== '')),
  }
}

/** A list of people is searched by the address and the name. */
export const namedOf = <Given extends { search?: string }>({ search, ...given }: Given) => ({
  ...given,
  ...(search !== undefined && { query: search }),
})

/** What the address says, with the parameters of all pages: for parts that several pages have. */
const useAnySearch = () => useSearch({ strict: false })
type AnySearch = ReturnType<typeof useAnySearch>
export type ParameterName = keyof AnySearch & string

/** What the address says about the page, and how to change it. A new filter starts at the first page. */
export function usePageSearch() {
  const search = useAnySearch()
  const navigate = useNavigate()
  const set = (changes: AnySearch, { replace = false } = {}) =>
    void navigate({
      to: '.',
      search: (before) => {
        const next = { ...before, ...('page' in changes ? {} : { page: undefined }), ...changes }
        return Object.fromEntries(
          Object.entries(next).filter(([, value]) => value !== undefined && value !== ''),
        )
      },
      replace,
      resetScroll: false,
    })
  /** A parameter as text. */
  const text = (name: ParameterName): string => String(search[name] ?? '')
  return { search, text, set }
}
