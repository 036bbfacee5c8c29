/**
 * The lines of an import: newline-delimited JSON (https://github.com/ndjson/ndjson-spec). Each line is
 * validated like a request for one user; an invalid line does not affect the others.
 */
import type { Readable } from 'node:stream'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Failure, FieldError, invalid } from '../../errors.ts'
import { scopeOf } from '../../http/authority.ts'
import { readJson, takeUnknown } from '../../http/fields.ts'
import { failureOfRequest } from '../../http/problems.ts'
import { checkOf } from '../../http/schema-compilers.ts'
import { Id, type Static } from '../../http/schemas.ts'
import { withPhone } from './profile.ts'
import type { CreatedUser } from './queries.ts'
import { CreateUser, demandPassword, importedHash } from './schemas.ts'

/** 16 MiB in total, and 64 KiB in one line, the limit of a request body for one user. */
const BODY_MAX = 16 * 1024 * 1024
const LINE_MAX = 65_536
const LINES_MAX = 10_000
/** The number of a line, from 1, and its content. */
export type Line = { line: number; bytes: Buffer }

export const ImportedLine = Type.Object(
  {
    line: Type.Integer({
      description:
        'The number of the line in the request, from 1. Empty lines are counted and have no response.',
    }),
    status: Type.Enum(['created', 'failed']),
    id: Type.Optional(Id),
    email: Type.Optional(
      Type.String({
        description: 'Only in a dry run, of a line that would be created: the address as it is stored.',
      }),
    ),
    ignoredFields: Type.Optional(
      Type.Array(Type.String(), { description: 'Unknown fields, which are ignored.' }),
    ),
    code: Type.Optional(
      Type.Enum([
        'email_taken',
        'invalid_request',
        'payload_too_large',
        'limit_reached',
        'too_many_requests',
        'unavailable',
        'internal',
      ]),
    ),
    detail: Type.Optional(Type.String()),
    errors: Type.Optional(Type.Array(FieldError)),
  },
  { title: 'ImportedUser' },
)
export type ImportedLine = Static<typeof ImportedLine>

/** Reads the body and splits it into lines. Throws `payload_too_large`. */
export async function readLines(body: Readable): Promise<Line[]> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size <= BODY_MAX)
        chunks.push(chunk) // the rest is discarded, so that the caller can read the response
      else chunks.length = 0
    }
  } catch (error) {
    throw new Failure('invalid_request', {
      detail: 'The request ended before the body was complete.',
      cause: error,
    })
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

/** The text of a line, without a byte order mark (U+FEFF). */
function textOf({ bytes }: Line): string {
  if (bytes.length > LINE_MAX)
    throw new Failure('payload_too_large', { detail: `The line is longer than ${LINE_MAX} bytes.` })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new Failure('invalid_request', { detail: 'The line is not UTF-8.', cause: error })
  }
}

export type CheckedLine =
  | { line: number; user: CreatedUser & { id: string }; ignoredFields: string[] }
  | { line: number; failure: Failure }

const check = checkOf(CreateUser)

/** Validates a line by the rules of a request for one user. */
export function checkLine(
  app: FastifyInstance,
  request: FastifyRequest,
  { line, ...rest }: Line,
): CheckedLine {
  try {
    const value = readJson(app, request, textOf({ line, ...rest }))
    // Hashing thousands of passwords would delay every sign-in for minutes.
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, 'password'))
      throw invalid(
        '/password',
        'is not accepted in an import: send passwordHash, or omit both and let the user request a reset link',
      )
    const ignoredFields = takeUnknown(request, value, CreateUser)
    if (!check(value))
      throw Object.assign(new Error(), { validation: check.errors, validationContext: 'body' })
    const { passwordHash, ...input } = value as Static<typeof CreateUser>
    const hash = importedHash(passwordHash, scopeOf(request.caller))
    demandPassword(input.mustChangePassword, hash)
    return {
      line,
      user: { ...withPhone(input), id: crypto.randomUUID(), passwordHash: hash, isImported: true },
      ignoredFields,
    }
  } catch (error) {
    return { line, failure: failureOfRequest(error as FastifyError) }
  }
}

/** `made`: the id of the new user; of a dry run the address. */
export const createdLine = (
  line: number,
  made: { id: string } | { email: string },
  ignoredFields: string[],
): ImportedLine => ({
  line,
  status: 'created',
  ...made,
  ...(ignoredFields.length > 0 && { ignoredFields: ignoredFields.slice(0, 20) }),
})

export const failedLine = (line: number, { code, detail, errors }: Failure): ImportedLine => ({
  line,
  status: 'failed',
  code: code as NonNullable<ImportedLine['code']>,
  ...(detail !== undefined && { detail }),
  ...(errors !== undefined && { errors }),
})
