import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ListSearch } from '../router.tsx'

/** What the address says about the page, and how to change it. A new filter starts at the first page. */
export function usePageSearch() {
  const search = useSearch({ strict: false }) as ListSearch
  const navigate = useNavigate()
  const set = (changes: ListSearch, { replace = false } = {}) =>
    void navigate({
      to: '.',
      search: ((before: ListSearch) => {
        const next = { ...before, ...('page' in changes ? {} : { page: undefined }), ...changes }
        return Object.fromEntries(
          Object.entries(next).filter(([, value]) => value !== undefined && value !== ''),
        )
      }) as never,
      replace,
      resetScroll: false,
    })
  /** A parameter as text. */
  const text = (name: string): string => String(search[name] ?? '')
  return { search, text, set }
}
