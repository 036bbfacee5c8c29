/**
 * Many users from one request: a line of JSON for each (https://github.com/ndjson/ndjson-spec), judged as if it had come
 * alone. A line that is refused keeps no other from being taken.
 */
import type { Readable } from 'node:stream'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Failure, invalid } from '../../errors.ts'
import { readJson, takeUnknown } from '../../http/fields.ts'
import { failureOfRequest } from '../../http/problems.ts'
import { Id, type Static } from '../../http/shapes.ts'
import { checkOf } from '../../tuning/compiled.ts'
import type { NewUser as UserRow } from './queries.ts'
import { importedHash, NewUser } from './shapes.ts'

/** 16 MiB, in all and in one line 64 kB: that is what a body of one user may have. */
const BODY_MAX = 16 * 1024 * 1024
const LINE_MAX = 65_536
const LINES_MAX = 10_000
/** A number of a line, from 1, and what is in it. */
export type Line = { line: number; bytes: Buffer }

export const ImportedLine = Type.Object({
  line: Type.Integer({
    description: 'Its number in the request, from 1. Empty lines count, and have no answer.',
  }),
  status: Type.Enum(['created', 'failed']),
  id: Type.Optional(Id),
  ignoredFields: Type.Optional(
    Type.Array(Type.String(), { description: 'Fields that a user does not have.' }),
  ),
  code: Type.Optional(
    Type.Enum(['email_taken', 'invalid_request', 'payload_too_large', 'unavailable', 'internal']),
  ),
  detail: Type.Optional(Type.String()),
  errors: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
})
export type ImportedLine = Static<typeof ImportedLine>

/** Everything that was sent, by line. Refused as payload_too_large before anything is done. */
export async function readLines(body: Readable): Promise<Line[]> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size <= BODY_MAX)
        chunks.push(chunk) // the rest is read and dropped, so that the caller comes to read our answer
      else chunks.length = 0
    }
  } catch (error) {
    throw new Failure('invalid_request', { detail: 'The body was cut off.', cause: error })
  }
  if (size > BODY_MAX)
    throw new Failure('payload_too_large', { detail: `The body is larger than ${BODY_MAX} bytes.` })
  return linesOf(Buffer.concat(chunks))
}

function linesOf(whole: Buffer): Line[] {
  const lines: Line[] = []
  for (let from = 0, line = 1; from < whole.length; line++) {
    if (line > LINES_MAX)
      throw new Failure('payload_too_large', { detail: `There are more than ${LINES_MAX} lines.` })
    const found = whole.indexOf(0x0a, from)
    const to = found < 0 ? whole.length : found
    const bytes = whole.subarray(from, to)
    if (bytes.some((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d)) lines.push({ line, bytes })
    from = to + 1
  }
  return lines
}

/** The text of a line; a mark at its beginning (U+FEFF), which some editors write, is dropped. */
function textOf({ bytes }: Line): string {
  if (bytes.length > LINE_MAX)
    throw new Failure('payload_too_large', { detail: `The line is longer than ${LINE_MAX} bytes.` })
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new Failure('invalid_request', { detail: 'The line is not UTF-8.', cause: error })
  }
  // Many lines are one statement, which none of them may break. A backslash that is escaped itself begins no escape.
  if (/(?<!\\)(?:\\\\)*\\u0000/.test(text))
    throw new Failure('invalid_request', {
      detail: 'A text contains a character that can not be stored (U+0000).',
    })
  return text
}

export type Judged =
  | { line: number; user: UserRow & { id: string }; ignoredFields: string[] }
  | { line: number; failure: Failure }

const check = checkOf(NewUser)

/** Judges a line by the rules of a request for one user. */
export function judgeLine(app: FastifyInstance, request: FastifyRequest, { line, ...rest }: Line): Judged {
  try {
    const value = readJson(app, request, textOf({ line, ...rest }))
    // A hash for each of thousands of passwords would keep everybody's sign-in waiting for minutes.
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, 'password'))
      throw invalid(
        '/password',
        'is not taken by an import: give passwordHash, or neither, and let the person ask for a link',
      )
    const ignoredFields = takeUnknown(request, value, NewUser)
    if (!check(value))
      throw Object.assign(new Error(), { validation: check.errors, validationContext: 'body' })
    const { passwordHash, ...input } = value as Static<typeof NewUser>
    return {
      line,
      user: { ...input, id: crypto.randomUUID(), passwordHash: importedHash(passwordHash) },
      ignoredFields,
    }
  } catch (error) {
    return { line, failure: failureOfRequest(error as FastifyError) }
  }
}

export const createdLine = (line: number, id: string, ignoredFields: string[]): ImportedLine => ({
  line,
  status: 'created',
  id,
  ...(ignoredFields.length > 0 && { ignoredFields: ignoredFields.slice(0, 20) }),
})

export const failedLine = (line: number, { code, detail, errors }: Failure): ImportedLine => ({
  line,
  status: 'failed',
  code: code as NonNullable<ImportedLine['code']>,
  ...(detail !== undefined && { detail }),
  ...(errors !== undefined && { errors }),
})
