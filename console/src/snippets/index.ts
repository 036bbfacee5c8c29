import { curl } from './curl.ts'
import { go } from './go.ts'
import { next } from './next.ts'
import { browser, nodeOpenidClient } from './node.ts'
import { python } from './python.ts'
import type { Given, Snippet } from './snippet.ts'
import { spring } from './spring.ts'

export { exampleOf, type File, type Given, isHarmless, redirectUriOf, type Snippet } from './snippet.ts'

const SNIPPETS: Record<string, Snippet> = {
  browser,
  nodeOpenidClient,
  next,
  python,
  go,
  spring,
  curl,
}

/** The snippets of a kind of application, by key. */
export const snippetsOf = (kind: Given['kind']): [key: string, snippet: Snippet][] =>
  Object.entries(SNIPPETS).filter(([, { kinds }]) => kinds.includes(kind))
