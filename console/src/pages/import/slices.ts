/** Lines of a file as requests to the import. */
import { textNamed, texts } from '../../texts/texts.ts'
import type { Line } from './read.ts'

/** In characters of JSON, below the 16 MiB of a request in any script. */
const SIZE_MAX = 4_000_000

export type Refused = { line: number; email: string; why: string; code: string }
/** `ignored`: fields that the server does not know. */
export type Result = { created: number; refused: Refused[]; ignored: string[] }

type Answer = {
  line: number
  status: 'created' | 'failed'
  email?: string
  code?: string
  detail?: string
  errors?: { path: string; message: string }[]
  ignoredFields?: string[]
}

const bodyOf = ({ user }: Line) => (user ? `${JSON.stringify(user)}\n` : '')

/** The end of the slice that starts at a line: at least one line, at most `max` of them. */
export function endOfSlice(lines: readonly Line[], from: number, max: number): number {
  let size = 0
  let end = from
  while (end < lines.length && end - from < max) {
    size += bodyOf(lines[end]!).length
    if (size > SIZE_MAX && end > from) break
    end += 1
  }
  return end
}

const emailOf = ({ user }: Line) => String(user?.email ?? '')

/** Why a line was refused, with the fields that are wrong. */
function whyOf({ code = '', detail = '', errors = [] }: Answer): string {
  const fields = errors.map(({ path, message }) => `${path.slice(1)} ${message}`).join('; ')
  return fields || textNamed(texts.imports.codes, code) || detail || code
}

/**
 * Sends lines, and returns what has become of them. `seen`: the addresses of earlier slices of a dry run, to
 * which it adds.
 */
export async function sendSlice(
  slice: readonly Line[],
  seen: Set<string>,
  sendBody: (body: string) => Promise<string>,
): Promise<Result> {
  const valid = slice.filter(({ user }) => user !== undefined)
  const result: Result = { created: 0, refused: [], ignored: [] }
  for (const { line, user } of slice)
    if (!user) result.refused.push({ line, email: '', why: texts.imports.notJson, code: 'not_json' })
  if (valid.length === 0) return result
  const text = await sendBody(valid.map(bodyOf).join(''))
  for (const each of text.trim().split('\n')) {
    const answer = withSeen(JSON.parse(each), seen)
    const source = valid[answer.line - 1]
    if (!source) continue
    const { code = '', ignoredFields = [] } = answer
    result.ignored.push(...ignoredFields.map((path) => path.slice(1)))
    if (answer.status === 'created') result.created += 1
    else result.refused.push({ line: source.line, email: emailOf(source), why: whyOf(answer), code })
  }
  return result
}

/** A dry run compares the addresses of one request. */
function withSeen(answer: Answer, seen: Set<string>): Answer {
  const { line, email } = answer
  if (email === undefined) return answer
  if (seen.has(email)) return { line, status: 'failed', code: 'email_taken' }
  seen.add(email)
  return answer
}
