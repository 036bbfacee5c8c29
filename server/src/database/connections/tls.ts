/** TLS of connections to PostgreSQL as libpq uses it (config/postgres-tls.ts). */
import { readFileSync } from 'node:fs'
import { type ConnectionOptions, getCACertificates } from 'node:tls'
import type pg from 'pg'
import type { PostgresTls, TlsMode } from '../../config/postgres-tls.ts'

/** What a connection tries, in this order: with TLS or without. Only `allow` and `prefer` have two ways. */
export function waysOf(mode: TlsMode): readonly boolean[] {
  if (mode === 'allow') return [false, true]
  return mode === 'prefer' ? [true, false] : [mode !== 'disable']
}

/** libpq encrypts no connection to a socket of the file system. */
export function isSocket(url: string): boolean {
  const { hostname, searchParams } = new URL(url)
  return (searchParams.get('host') ?? decodeURIComponent(hostname)).startsWith('/')
}

let trusted: string[] | undefined
/** The authorities of Node with those of NODE_EXTRA_CA_CERTS, and those of the machine. */
const trustedHere = () => (trusted ??= [...getCACertificates('default'), ...getCACertificates('system')])

/** Reads the files, so that a certificate that was replaced is used by the next connection. */
export function settingsOf(tls: PostgresTls): pg.ClientConfig {
  const { mode, rootCert, cert, key, isDirect, minVersion, maxVersion, isBound } = tls
  const options: ConnectionOptions = {
    ...(rootCert === undefined
      ? { rejectUnauthorized: false }
      : { ca: rootCert === 'system' ? trustedHere() : read('sslrootcert', rootCert) }),
    // Without sslrootcert nothing is verified. With it, all modes verify the authority, and one the name too.
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    ...(cert !== undefined && { cert: read('sslcert', cert) }),
    ...(key !== undefined && { key: read('sslkey', key) }),
    ...(minVersion && { minVersion }),
    ...(maxVersion && { maxVersion }),
  }
  const more = { enableChannelBinding: isBound, sslnegotiation: isDirect ? 'direct' : 'postgres' }
  return { ssl: options, ...(more as pg.ClientConfig) }
}

function read(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`${parameter}: cannot read ${path} (${(error as NodeJS.ErrnoException).code})`)
  }
}

type Wire = NodeJS.EventEmitter & { stream: { destroy(error: Error): void } }
type Asked = { mechanisms?: string[] }

/** Ends a connection whose server asks for a password in another way than `channel_binding=require` says. */
export function demandBinding({ connection }: { connection: unknown }): void {
  const wire = connection as Wire
  let isBound = false
  const refuse = () => wire.stream.destroy(new Error('the server does not offer channel binding'))
  wire.on('authenticationSASL', ({ mechanisms = [] }: Asked) => {
    isBound = mechanisms.includes('SCRAM-SHA-256-PLUS')
    if (!isBound) refuse()
  })
  wire.on('authenticationCleartextPassword', refuse).on('authenticationMD5Password', refuse)
  wire.on('authenticationOk', () => isBound || refuse())
}

const NO_TLS = /does not support SSL|^no TLS/i
/** OpenSSL's names of a chain that does not end at a known authority (X509_V_ERR_…). */
const UNKNOWN_AUTHORITY =
  /SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_UNTRUSTED/

/** Whether a server that was reached refuses the way of a connection, so that the other way may work. */
export function refusesWay(error: unknown, isEncrypted: boolean): boolean {
  const { code = '', message } = error as NodeJS.ErrnoException
  return code === '28000' || (isEncrypted && (NO_TLS.test(message) || /^(ERR_SSL|ERR_TLS|EPROTO)/.test(code)))
}

/** What the operator can change in DATABASE_URL about an error of a connection; empty if nothing. */
export function hintOf(error: unknown): string {
  const { code = '', message = '', cause } = error as NodeJS.ErrnoException & { cause?: unknown }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'Write the host as the certificate names it, or sslmode=verify-ca, which does not compare the name.'
  if (UNKNOWN_AUTHORITY.test(code))
    return (
      'sslrootcert must be the file with the authority that signed the certificate of the server. ' +
      'sslmode=require without sslrootcert encrypts and verifies nothing.'
    )
  if (NO_TLS.test(message)) return 'The server has no TLS: sslmode=disable, or turn it on there.'
  if (code === '28000' && /client certificate/.test(message))
    return 'Give the certificate of the client with sslcert and sslkey.'
  if (code === '28000' && /no encryption|SSL off/.test(message))
    return 'The server requires TLS: sslmode=require, or verify-full with sslrootcert.'
  if (code === '28000' && /SSL encryption|SSL on/.test(message))
    return 'The server accepts this user without TLS only: sslmode=disable.'
  return cause ? hintOf(cause) : ''
}
