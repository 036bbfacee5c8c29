import type { FailureCode } from '../../../sdk/src/api.ts'

type FieldFault = { path: string; message: string }

/** An error response of the server (RFC 9457); `unreachable` if there was none. */
export class Problem extends Error {
  override name = 'Problem'
  readonly code: FailureCode | 'unreachable' | (string & {})
  /** 0 without a response. */
  readonly status: number
  readonly detail: string | undefined
  readonly errors: FieldFault[]
  readonly requestId: string | undefined
  /** Seconds. */
  readonly retryAfter: number | undefined

  constructor(status: number, body: Record<string, unknown>, retryAfter?: number, options?: ErrorOptions) {
    const code = String(body.code ?? (status === 0 ? 'unreachable' : 'unexpected'))
    super(String(body.detail ?? body.title ?? code), options)
    this.code = code
    this.status = status
    this.detail = body.detail as string | undefined
    this.errors = (body.errors ?? []) as FieldFault[]
    this.requestId = body.requestId as string | undefined
    this.retryAfter = retryAfter
  }
}

/** The fault of a field, or of an item of it, by its JSON Pointer: `/email`. */
export const faultOf = (problem: unknown, path: string): string | undefined =>
  problem instanceof Problem
    ? problem.errors.find((fault) => `${fault.path}/`.startsWith(`${path}/`))?.message
    : undefined
