/** Links to pages, as values. */
import type { RegisteredRouter } from '@tanstack/react-router'

type Pages = RegisteredRouter['routesByPath']
type PagePath = Exclude<keyof Pages, '/$context/'>

/** The page that a link opens, for `Link` and `navigate`. */
export type PageLink = {
  [To in PagePath]: {
    to: To
    params: Pages[To]['types']['allParams']
    search?: Pages[To]['types']['fullSearchSchema']
  }
}[PagePath]

type BelowContext<To> = To extends `/$context/${infer Path}`
  ? Path extends `${string}$${string}`
    ? never
    : Path
  : never
/** A page that every context has at most one of, below the context; '' for its first page. */
export type ContextPage = '' | BelowContext<PagePath>

export const linkTo = (context: string, page: ContextPage) => ({
  to: page === '' ? ('/$context' as const) : (`/$context/${page}` as const),
  params: { context },
})
