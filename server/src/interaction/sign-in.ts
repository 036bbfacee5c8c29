import type { FastifyReply, FastifyRequest } from 'fastify'
import { AMR } from '../authentication/assurance.ts'
import { welcome } from '../authentication/new-device.ts'
import { Failure } from '../errors.ts'
import { record } from '../resources/audit/record.ts'
import { type Login, touchLogin } from './queries.ts'
import { finish, type InteractionParts } from './steps.ts'

/** Ends the login step for a person who has proven their password. */
export function signIn(
  parts: InteractionParts,
  request: FastifyRequest,
  reply: FastifyReply,
  user: Login,
  systemId: string | null,
): Promise<FastifyReply> {
  const login = { accountId: user.id, amr: [...AMR.password], remember: true }
  return finish(parts, request, reply, { login }, async (tx) => {
    await welcome(tx, parts, request, reply, { userId: user.id, systemId, amr: AMR.password })
    if (!(await touchLogin(tx, user)))
      throw new Failure('unavailable', {
        detail: 'The password or the user was changed meanwhile.',
        retryAfter: 1,
      })
    const person = { ...request.actor, type: 'user' as const, id: user.id }
    await record(tx, person, { action: 'user.login', target: { type: 'user', id: user.id }, systemId })
  })
}
