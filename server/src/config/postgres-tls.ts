/**
 * The parameters of DATABASE_URL about TLS, with the meaning that they have for libpq and psql
 * (postgresql.org/docs/current/libpq-ssl.html). Only what the URL says counts: no environment variable, no
 * file in ~/.postgresql.
 */

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
export type TlsMode = (typeof MODES)[number]

export type PostgresTls = {
  mode: TlsMode
  /** The file of the authorities; `system`: those that this machine or Node trusts. */
  rootCert: string | undefined
  /** The files of the client's certificate and its key. */
  cert: string | undefined
  key: string | undefined
  /** TLS from the first byte (PostgreSQL 17), without asking first. */
  isDirect: boolean
  minVersion: TlsVersion | undefined
  maxVersion: TlsVersion | undefined
  /** `channel_binding=require`: the password is valid in this encrypted connection only. */
  isBound: boolean
}

const VERSIONS = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const
type TlsVersion = (typeof VERSIONS)[number]

const DIRECT = ['postgres', 'direct'] as const

/** Ignoring one of them would be less safe than what the URL asks for. */
const UNSUPPORTED = ['require_auth', 'requirepeer', 'sslcertmode', 'sslcrl', 'sslcrldir', 'sslpassword']

export const TLS_PARAMETERS: ReadonlySet<string> = new Set([
  'channel_binding',
  'ssl',
  'ssl_max_protocol_version',
  'ssl_min_protocol_version',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslnegotiation',
  'sslrootcert',
  'uselibpqcompat',
  ...UNSUPPORTED,
])

/** Throws an Error whose message completes "DATABASE_URL must be …". */
export function readTls(parameters: URLSearchParams): PostgresTls {
  const get = (name: string) => parameters.get(name) || undefined
  const oneOf = <const Values extends readonly string[]>(name: string, values: Values) => {
    const value = get(name)
    if (value !== undefined && !values.includes(value))
      throw new Error(`a postgres:// URL whose ${name} is one of ${values.join(', ')}`)
    return value as Values[number] | undefined
  }
  const unsupported = UNSUPPORTED.find((name) => get(name) !== undefined)
  if (unsupported)
    throw new Error(`a postgres:// URL without ${unsupported}, which the server cannot observe`)
  const [rootCert, cert, key] = [get('sslrootcert'), get('sslcert'), get('sslkey')]
  const isDirect = oneOf('sslnegotiation', DIRECT) === 'direct'
  // JDBC writes `ssl=true`, which libpq reads as `sslmode=require`.
  const given = oneOf('sslmode', MODES) ?? (oneOf('ssl', ['true']) ? 'require' : undefined)
  const mode = given ?? (rootCert === 'system' ? 'verify-full' : 'prefer')
  if (rootCert === 'system' && mode !== 'verify-full')
    throw new Error('a postgres:// URL with sslmode=verify-full where sslrootcert is system')
  if (mode.startsWith('verify') && rootCert === undefined)
    throw new Error(
      `a postgres:// URL with sslrootcert where sslmode is ${mode}: the file with the certificate of the authority, ` +
        'or system (only with verify-full)',
    )
  if ((cert === undefined) !== (key === undefined))
    throw new Error('a postgres:// URL with both sslcert and sslkey, or none of them')
  if (isDirect && ['disable', 'allow', 'prefer'].includes(mode))
    throw new Error('a postgres:// URL with sslmode=require or stronger where sslnegotiation is direct')
  return {
    mode,
    rootCert,
    cert,
    key,
    isDirect,
    minVersion: oneOf('ssl_min_protocol_version', VERSIONS),
    maxVersion: oneOf('ssl_max_protocol_version', VERSIONS),
    isBound: oneOf('channel_binding', ['disable', 'prefer', 'require']) === 'require',
  }
}
