/**
 * The minimum that answers a token request: parse a form, compare a secret, sign a token. No database, no
 * other checks.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
  timingSafeEqual,
} from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import { type BaselineSettings, listenAs } from './settings.ts'

const { issuer, port, client }: BaselineSettings = JSON.parse(process.env.BASELINE!)
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }))
const json = (value: unknown) => Buffer.from(JSON.stringify(value))
const HEADER = json({ alg: 'ES256', typ: 'at+jwt', kid: 'only' }).toString('base64url')
const JWKS = json({
  keys: [{ ...createPublicKey(key).export({ format: 'jwk' }), kid: 'only', use: 'sig', alg: 'ES256' }],
})
const SECRET = Buffer.from(`Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`)

/** Converts an ECDSA signature from DER to r and s of 32 bytes each (RFC 7518 section 3.4). */
function joseOf(der: Buffer): Buffer {
  const out = Buffer.alloc(64)
  let at = 2
  for (const end of [32, 64]) {
    const length = der[at + 1]!
    const number = der.subarray(at + 2, at + 2 + length)
    const digits = number.subarray(Math.max(0, length - 32))
    digits.copy(out, end - digits.length)
    at += 2 + length
  }
  return out
}

function newToken(): string {
  const iat = Math.floor(Date.now() / 1_000)
  const claims = {
    iss: issuer,
    sub: client.id,
    aud: client.id,
    client_id: client.id,
    jti: randomUUID(),
    iat,
    exp: iat + 600,
  }
  const content = `${HEADER}.${json(claims).toString('base64url')}`
  return `${content}.${joseOf(sign('sha256', Buffer.from(content), key)).toString('base64url')}`
}

function send(response: ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': body.length,
    'cache-control': 'no-store',
  })
  response.end(body)
}

function grant(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const form = parse(Buffer.concat(chunks).toString())
    const given = Buffer.from(request.headers.authorization ?? '')
    if (given.length !== SECRET.length || !timingSafeEqual(given, SECRET))
      return send(response, 401, json({ error: 'invalid_client' }))
    if (form.grant_type !== 'client_credentials')
      return send(response, 400, json({ error: 'unsupported_grant_type' }))
    send(response, 200, json({ access_token: newToken(), token_type: 'Bearer', expires_in: 600 }))
  })
}

const server = createServer((request, response) => {
  if (request.url === '/token') grant(request, response)
  else if (request.url === '/jwks') send(response, 200, JWKS)
  else send(response, 404, json({ error: 'not_found' }))
})
await listenAs(server, port)
