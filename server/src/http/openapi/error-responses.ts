/** The error responses and the response headers of the OpenAPI document. */
import { FAILURES, Failure, type FailureCode, problem, problemOf } from '../../errors.ts'
import type { Document, Json } from './components.ts'

const PROBLEM = { $ref: '#/components/schemas/Problem' }
const REQUEST_ID = '5d4c3c1e-5f0b-4d7e-9a3e-0d0f8f3b2a11'
const INVALID = { errors: [{ path: '/email', message: 'must be an email address' }] }

export const header = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` })

const text = (description: string, example: string): Json => ({
  description,
  schema: { type: 'string' },
  example,
})

/** Headers of responses, by the name of their component. */
const HEADERS = {
  ETag: text(
    'The version of the resource (RFC 9110 section 8.8.3), for `If-Match` and `If-None-Match`.',
    '"V2pQXG1kT0f0m1c1b5c0Z3l1w6A"',
  ),
  IgnoredFields: text(
    'The fields and query parameters that the operation does not have and ignores, as paths separated by commas. Not sent if there are none.',
    'colour, branding/shape, query/sort',
  ),
  Location: text('The path of the created resource.', '/admin/users/5f0999dc-6ae6-4ba3-a73c-8320e7df7b30'),
  IdempotencyReplayed: text(
    '`true` if this is the stored response to an earlier request with the same `Idempotency-Key`. Not sent otherwise.',
    'true',
  ),
  RetryAfter: {
    description: 'The number of seconds after which to retry (RFC 9110 section 10.2.3).',
    schema: { type: 'integer', minimum: 1 },
    example: 30,
  },
  WWWAuthenticate: text(
    'The authentication scheme and the error (RFC 6750 section 3).',
    'Bearer error="invalid_token"',
  ),
}

/** Components that responses refer to: every error with an example, and the headers. */
export const responseComponents = (): Document['components'] => ({
  schemas: { Problem: { ...problem(Object.keys(FAILURES), { title: 'ErrorCode' }) } },
  headers: HEADERS,
  examples: Object.fromEntries(
    (Object.keys(FAILURES) as FailureCode[]).map((code) => [
      code,
      {
        summary: FAILURES[code].title,
        value: problemOf(new Failure(code, code === 'invalid_request' ? INVALID : {}), REQUEST_ID),
      },
    ]),
  ),
})

/** The error responses of an operation, by status. With `pages` browsers receive a page. */
export function errorResponses(codes: Iterable<FailureCode>, pages: boolean): Record<string, Json> {
  const byStatus = Map.groupBy(new Set(codes), (code) => FAILURES[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [status, errorResponse(status, same, pages)]),
  )
}

function exampleOf(code: FailureCode): [string, Json] {
  return [code, { $ref: `#/components/examples/${code}` }]
}

function errorResponse(status: number, codes: FailureCode[], pages: boolean): Json {
  const headers = {
    ...(status === 401 && !pages && { 'WWW-Authenticate': header('WWWAuthenticate') }),
    ...((status === 429 || status === 503) && { 'Retry-After': header('RetryAfter') }),
  }
  return {
    description: codes.map((code) => `\`${code}\`: ${FAILURES[code].title}`).join('\n\n'),
    ...(Object.keys(headers).length > 0 && { headers }),
    content: {
      ...(pages && { 'text/html': { schema: { type: 'string' }, example: PAGE } }),
      'application/problem+json': { schema: PROBLEM, examples: Object.fromEntries(codes.map(exampleOf)) },
    },
  }
}

export const PAGE = '<!doctype html>\n<html lang="en">…</html>'

/** Any error that the operation does not list. */
export const OTHER_ERRORS: Json = {
  description: 'Any other error.',
  content: {
    'application/problem+json': {
      schema: PROBLEM,
      examples: Object.fromEntries(
        (['payload_too_large', 'unsupported_media_type', 'internal', 'unavailable'] as const).map(exampleOf),
      ),
    },
  },
}
