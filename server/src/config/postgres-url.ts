/**
 * DATABASE_URL: one PostgreSQL server, or several as libpq writes them: `postgres://a:5432,b:5432/name`. New
 * connections use the first one that can be reached and accepts writes.
 */
import { type PostgresTls, readTls, TLS_PARAMETERS } from './postgres-tls.ts'
import { ENCODED, hasEncodedCredentials } from './url-credentials.ts'

export type PostgresServers = {
  /** One URL for each server, in the order of the setting, without the parameters of TLS. */
  urls: string[]
  /** `target_session_attrs=read-write`: a server that is read-only is not used. */
  needsWritable: boolean
  tls: PostgresTls
}

/** The scheme, the user with the password, the servers, the database and the parameters. */
const PARTS = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)([^?]*)(.*)$/i

export const POSTGRES_URL = `a postgres:// URL; ${ENCODED}; several servers are separated by commas and require target_session_attrs=read-write`

/** Throws an Error whose message completes "DATABASE_URL must be …". */
export function readPostgresUrl(given: string): PostgresServers {
  const [, scheme, user = '', servers = '', path, query = ''] = PARTS.exec(given) ?? []
  const parameters = new URLSearchParams(query)
  const rest = `${path}${withoutTls(parameters)}`
  const urls = servers.split(',').map((server) => `${scheme}${user}${server}${rest}`)
  const parsed = urls.map((url) => URL.parse(url))
  if (!scheme || parsed.includes(null) || !hasEncodedCredentials(given)) throw new Error(POSTGRES_URL)
  // libpq, and with it psql, takes the first `@` for the end of the password.
  if (user.indexOf('@') !== user.lastIndexOf('@')) throw new Error(POSTGRES_URL)
  const target = parameters.get('target_session_attrs')
  const isSeveral = urls.length > 1
  const hasGap = isSeveral && parsed.some((url) => url!.host === '')
  const isHidden = ['host', 'port'].some((name) => parameters.get(name)?.includes(','))
  if (hasGap || isHidden || (target ?? (isSeveral ? '' : 'read-write')) !== 'read-write')
    throw new Error(POSTGRES_URL)
  return { urls, needsWritable: target !== null, tls: readTls(parameters) }
}

/** The driver gives the parameters of TLS other meanings than libpq, so that it does not get them. */
function withoutTls(parameters: URLSearchParams): string {
  const others = [...parameters].filter(([name]) => !TLS_PARAMETERS.has(name))
  return others.length > 0 ? `?${new URLSearchParams(others)}` : ''
}

/** A URL without user name, password and parameters. */
export const withoutPassword = (url: string): string =>
  url.replace(/^(\w+:\/\/)(?:[^/?#]*@)?([^?#]*).*$/s, '$1$2')
