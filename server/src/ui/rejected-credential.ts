import type { FastifyRequest } from 'fastify'
import type { Rejection } from '../authentication/attempts.ts'
import { Failure } from '../errors.ts'
import { wantsJson } from '../http/forms-and-cookies.ts'
import type { PageState } from './page-state.ts'

/**
 * A rejected credential as the state of a page. A client that asks for JSON gets
 * `too_many_requests` instead of the page.
 */
export function rejectedState(
  request: FastifyRequest,
  rejection: Rejection,
  wrong: NonNullable<PageState['errors']>,
): PageState {
  if (rejection.rejected === 'wrong') return { status: 401, errors: wrong }
  const { retryAfter } = rejection
  if (wantsJson(request)) throw new Failure('too_many_requests', { retryAfter })
  return { status: 429, errors: { form: 'tooManyAttempts' }, retryAfter }
}
