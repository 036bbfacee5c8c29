import { curl } from './curl.ts'
import { go } from './go.ts'
import { next } from './next.ts'
import { browser, nodeOpenidClient } from './node.ts'
import { python } from './python.ts'
import type { SnippetInput, SnippetText } from './snippet.ts'
import { spring } from './spring.ts'

export {
  exampleOf,
  type File,
  isHarmless,
  redirectUriOf,
  type SnippetInput,
  type SnippetText,
} from './snippet.ts'

const SNIPPETS: Record<string, SnippetText> = {
  browser,
  nodeOpenidClient,
  next,
  python,
  go,
  spring,
  curl,
}

/** The snippets of a kind of application, by key. */
export const snippetsOf = (kind: SnippetInput['kind']): [key: string, snippet: SnippetText][] =>
  Object.entries(SNIPPETS).filter(([, { kinds }]) => kinds.includes(kind))
