/** Whose share of the slots a request of the protocol takes (http/limits/shares.ts). */
import type { FastifyRequest } from 'fastify'
import { visitorOf } from '../../authentication/visitors.ts'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import { basicClientOf } from '../../http/basic-client.ts'
import { networkOf } from '../../http/ip-address.ts'
import type { Sharer } from '../../http/limits/shares.ts'
import type { TokenVerifier } from '../keys/token-verifier.ts'

type Parts = { config: Config; seal: Seal }

const BEARER = /^bearer (.+)$/i

/**
 * The client of a request, if its Authorization header names one. Anyone can name a client without its
 * secret: that share is of the network from which it is named.
 */
export async function tenantOf(
  tokens: TokenVerifier,
  { headers, ip }: FastifyRequest,
): Promise<Sharer | undefined> {
  const { authorization = '' } = headers
  const token = BEARER.exec(authorization)?.[1]
  if (token !== undefined) {
    const name = (await tokens.verify(token))?.claims.client_id
    return name === undefined ? undefined : { name, isProven: true }
  }
  const client = basicClientOf(authorization)
  return client === undefined ? undefined : { name: `${client} ${networkOf(ip) ?? ''}`, isProven: false }
}

export const visitorIn = (parts: Parts, { ip, headers: { cookie } }: FastifyRequest): Sharer =>
  visitorOf(parts, { ip, cookieOf: (name) => cookieIn(cookie, name) })

/**
 * The client that a request to /auth names, and within it the browser or network. A client is counted only
 * after a successful response, so only if it exists.
 */
export function signInSharer(parts: Parts, request: FastifyRequest): Sharer | undefined {
  const { client_id: client } = request.query as { client_id?: unknown }
  if (typeof client !== 'string') return undefined
  const { name, within, ...visitor } = visitorIn(parts, request)
  return { ...visitor, name: client, within: `${name} ${within}` }
}

const cookieIn = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(/; */)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)
