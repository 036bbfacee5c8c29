/** The connection in the address of a request. */
import type { FastifyRequest } from 'fastify'
import { Failure } from '../../errors.ts'
import { isUuid } from '../../http/uuid.ts'

/** Throws `not_found`. */
export function idOf({ params }: FastifyRequest): string {
  const { id } = params as { id?: unknown }
  if (!isUuid(id)) throw new Failure('not_found')
  return id.toLowerCase()
}
