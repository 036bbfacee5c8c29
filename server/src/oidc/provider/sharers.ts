/** Whose share of the slots a request of the protocol takes (http/limits/shares.ts). */
import type { FastifyRequest } from 'fastify'
import { decodeJwt } from 'jose'
import { visitorOf } from '../../authentication/visitors.ts'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import { basicClientOf } from '../../http/basic-client.ts'
import { siteOf } from '../../http/ip-address.ts'
import type { Sharer } from '../../http/limits/shares.ts'
import type { TokenVerifier, VerifiedToken } from '../keys/token-verifier.ts'
import { placeOfService } from '../storage/service-places.ts'

/**
 * Requests to /auth of one browser at the same time. Two of them, sent again and again, made `/me` of other
 * tenants three times slower.
 */
const OF_BROWSER = 1

type Parts = { config: Config; seal: Seal }

const BEARER = /^bearer (.+)$/i

/**
 * The system of a request, if its Authorization header or its body names a client, and within it the account
 * of the token or of the service account: a tenant that creates service accounts gets no further shares.
 * Anyone can name a client without its secret: that share is of the network from which it is named.
 */
export async function tenantOf(
  tokens: TokenVerifier,
  { headers, ip, body }: FastifyRequest,
): Promise<Sharer | undefined> {
  const { authorization = '' } = headers
  const token = BEARER.exec(authorization)?.[1]
  if (token !== undefined) {
    const verified = await tokens.verify(token)
    return verified && { name: systemOf(verified), within: accountOf(verified), isProven: true }
  }
  const client = basicClientOf(authorization) ?? namedIn(body)
  if (client === undefined) return undefined
  const place = placeOfService(client)
  const name = `${place?.system ?? client} ${siteOf(ip) ?? ''}`
  return { name, within: place?.accountId, isProven: false }
}

/** The audience of a token of a service account is its system. */
const systemOf = ({ kind, claims }: VerifiedToken): string =>
  kind === 'serviceAccount' ? String([claims.aud].flat()[0]) : claims.client_id

const accountOf = ({ claims: { account_id: id } }: VerifiedToken): string | undefined =>
  typeof id === 'string' ? id : undefined

/** The client of a form (RFC 6749 section 2.3.1), or the issuer of its assertion (RFC 7523 section 3). */
function namedIn(body: unknown): string | undefined {
  const { client_id: id, client_assertion: assertion } = (body ?? {}) as Record<string, unknown>
  if (typeof id === 'string') return id
  if (typeof assertion !== 'string') return undefined
  try {
    return decodeJwt(assertion).iss
  } catch {
    return undefined // the library refuses it
  }
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
  return partOf(client, visitorIn(parts, request))
}

function partOf(client: string, { name, within, isProven, most, crowd }: Sharer): Sharer {
  const among = crowd && {
    ...crowd,
    name: `${client} ${crowd.name}`,
    otherwise: partOf(client, crowd.otherwise),
  }
  return {
    name: client,
    isProven,
    within: `${name} ${within}`,
    ...(most !== undefined && { most: OF_BROWSER }),
    ...(among && { crowd: among }),
  }
}

const cookieIn = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(/; */)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)
