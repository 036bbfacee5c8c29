/**
 * Why a request is refused. It is noted where it is decided, in a note that the copies of the request's actor
 * share, and written when the request is answered (refusal-log.ts). A request that the protocol library
 * answers has another actor and note from then on (oidc/policy/request-state.ts): our hooks do not run for
 * its answer.
 */

import { rootCauseOf } from '../database/faults.ts'
import type { Failure, FailureCode } from '../errors.ts'
import { masked } from './sent-values.ts'

/** Why a sign-in is refused: `changes.reason` of its audit entry, or the credential that was wrong. */
export const SIGN_IN_REASONS = [
  'password',
  'unknown',
  'disabled',
  'expired',
  'passkey',
  'second_factor',
  'mailed_code',
  'wrong_credential',
  'throttled',
  'provider',
  'pending',
  'blocked',
  'suspended',
  'none',
  'foreign',
  'factor',
  'exempt_without_factor',
  'consent',
] as const
export type SignInReason = (typeof SIGN_IN_REASONS)[number]

/** OAuth and OpenID Connect error codes. */
export const PROTOCOL_REASONS = [
  'access_denied',
  'account_selection_required',
  'authorization_pending',
  'consent_required',
  'expired_token',
  'insufficient_scope',
  'interaction_required',
  'invalid_client',
  'invalid_client_metadata',
  'invalid_dpop_proof',
  'invalid_grant',
  'invalid_redirect_uri',
  'invalid_request',
  'invalid_request_object',
  'invalid_request_uri',
  'invalid_scope',
  'invalid_target',
  'invalid_token',
  'login_required',
  'registration_not_supported',
  'request_not_supported',
  'request_uri_not_supported',
  'slow_down',
  'unauthorized_client',
  'unmet_authentication_requirements',
  'unsupported_grant_type',
  'unsupported_response_mode',
  'unsupported_response_type',
  'unsupported_token_type',
  'use_dpop_nonce',
] as const

export type Decided =
  | { kind: 'request' | 'sign_in' | 'protocol'; reason: FailureCode }
  | { kind: 'sign_in'; reason: SignInReason }
  | { kind: 'protocol'; reason: string }

/** `kind`: an operation or a page, a credential or a rule of a sign-in, or an endpoint of the protocol. */
export type Refusal = Decided & {
  systemId?: string | null | undefined
  clientId?: string
  /** What the response does not say. */
  detail?: string
  /** The error of the database, or of another server. */
  fault?: { code?: string; message: string }
  /** The redirect URI of a request, if it is not a registered one. */
  sent?: string
  registered?: string[]
}

/** Answers that are refusals also if no reason was noted. */
export const REASON_OF_STATUS: Record<number, Refusal> = {
  401: { kind: 'sign_in', reason: 'wrong_credential' },
  403: { kind: 'request', reason: 'insufficient_authority' },
  429: { kind: 'request', reason: 'too_many_requests' },
}

/** The note of a request. */
export class RefusalNote {
  #noted: Refusal | undefined
  /** The answer shows a refusal that another request has noted. */
  isHushed = false
  /** The status of the page that shows the outcome of a form. */
  shownStatus: number | undefined

  /** Keeps the first reason, which is the cause of the others. A fault of the database replaces it. */
  note(refusal: Refusal): void {
    const before = this.#noted
    if (!before || refusal.fault) this.#noted = refusal
    else this.#noted = { ...refusal, ...before, systemId: before.systemId ?? refusal.systemId }
  }

  noteFailure({ code, detail, cause }: Failure, kind: Decided['kind']): void {
    this.note({
      kind,
      reason: code,
      ...(detail !== undefined && { detail: masked(detail) }),
      ...(cause !== undefined && { fault: faultOf(cause) }),
    })
  }

  /** Removes the note, to write it, or because the request is repeated or not refused after all. */
  take(): Refusal | undefined {
    const noted = this.#noted
    this.#noted = undefined
    return noted
  }

  /** The outcome of a form is shown by another request, with this status. */
  noteStatus(status = 200): void {
    this.shownStatus = status
    const refusal = REASON_OF_STATUS[status]
    if (refusal) this.note(refusal)
  }

  hush(): void {
    this.isHushed = true
  }

  /** Actors are stored without their note. */
  toJSON(): undefined {
    return undefined
  }
}

function faultOf(cause: unknown): { code?: string; message: string } {
  const code = codeOf(cause)
  return { ...(code !== undefined && { code }), message: masked(rootCauseOf(cause)) }
}

/** The SQLSTATE or the error code of Node, of the innermost error that has one. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { cause, code } = error as NodeJS.ErrnoException
  return codeOf(cause) ?? (typeof code === 'string' ? code : undefined)
}
