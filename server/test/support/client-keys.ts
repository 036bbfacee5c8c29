/** Keys of clients, and what clients sign with them. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { type Answer, answerOf } from './http.ts'

export type ClientKey = { alg: string; privateKey: CryptoKey; jwk: JWK & { kid: string } }

export async function newClientKey(alg = 'ES256'): Promise<ClientKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid: crypto.randomUUID() } }
}

type Client = { clientId: string }
type Changes = { claims?: Record<string, unknown>; header?: Record<string, unknown> }

/** A client assertion (RFC 7523). A change to `undefined` removes a claim or a header parameter. */
export function assertionOf(
  { clientId }: Client,
  { alg, privateKey, jwk }: ClientKey,
  issuer: string,
  { claims = {}, header = {} }: Changes = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1_000)
  const jti = crypto.randomUUID()
  const all = { iss: clientId, sub: clientId, aud: issuer, jti, iat: now, exp: now + 60, ...claims }
  return new SignJWT(all as JWTPayload).setProtectedHeader({ alg, kid: jwk.kid, ...header }).sign(privateKey)
}

/** A signed authorization request (RFC 9101). */
export function requestObjectOf(
  { clientId }: Client,
  key: ClientKey,
  issuer: string,
  { claims = {}, header = {} }: Changes = {},
): Promise<string> {
  const changes = { claims: { client_id: clientId, sub: undefined, ...claims }, header }
  return assertionOf({ clientId }, key, issuer, changes)
}

/** Posts a form with a client assertion. */
export async function postAsserted(
  url: string,
  path: string,
  client_assertion: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = new URLSearchParams({
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion,
    ...fields,
  })
  const accept = { accept: 'application/json' }
  return answerOf(await fetch(url + path, { method: 'POST', headers: { ...accept, ...headers }, body }))
}

/** A server of a client that answers with its keys. */
export async function startKeyServer(t: TestContext, answer: RequestListener) {
  let requests = 0
  const current = { answer }
  const server = createServer((request, response) => {
    requests += 1
    current.answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  t.after(() => server.closeAllConnections())
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`,
    requests: () => requests,
    answering: (next: RequestListener) => {
      current.answer = next
    },
  }
}

export const keySet =
  (...keys: object[]): RequestListener =>
  (_, response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'max-age=31536000' })
      .end(JSON.stringify({ keys }))
