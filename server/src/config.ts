/**
 * Every setting, once: its name in the environment, what is allowed, its default, its unit and its meaning.
 * `readConfig` checks them all before anything else happens and names every one that is wrong.
 * docs/configuration.md is written from this file.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import manifest from '../package.json' with { type: 'json' }

export const VERSION = manifest.version

type Setting<T> = {
  /** What a reader of the documentation sees as the default; the value itself comes from `parse(undefined)`. */
  default: string
  doc: string
  allowed: string
  /** Gives the value, or throws an Error whose message completes "NAME must be …". */
  parse(text: string | undefined): T
}

function text(defaultValue: string, doc: string, allowed = 'text'): Setting<string> {
  return { default: defaultValue, doc, allowed, parse: (given) => given ?? defaultValue }
}

function optional(
  doc: string,
  allowed: string,
  valid: (given: string) => boolean,
  defaultText = 'none',
): Setting<string | undefined> {
  return {
    default: defaultText,
    doc,
    allowed,
    parse(given) {
      if (given === undefined) return undefined
      if (!valid(given)) throw new Error(allowed)
      return given
    },
  }
}

function integer(defaultValue: number, min: number, max: number, doc: string): Setting<number> {
  const allowed = `a whole number from ${min} to ${max}`
  return {
    default: String(defaultValue),
    doc,
    allowed,
    parse(given) {
      if (given === undefined) return defaultValue
      const value = Number(given)
      if (!/^\d+$/.test(given) || value < min || value > max) throw new Error(allowed)
      return value
    },
  }
}

/** A duration in seconds, up to ten years. */
const seconds = (defaultValue: number, doc: string) =>
  integer(defaultValue, 1, 315_360_000, `${doc} In seconds.`)

function oneOf<const Values extends readonly string[]>(
  values: Values,
  defaultValue: Values[number],
  doc: string,
): Setting<Values[number]> {
  const allowed = `one of ${values.join(', ')}`
  return {
    default: defaultValue,
    doc,
    allowed,
    parse(given = defaultValue) {
      if (!values.includes(given)) throw new Error(allowed)
      return given
    },
  }
}

function flag(defaultValue: boolean, doc: string): Setting<boolean> {
  const choice = oneOf(['true', 'false'], String(defaultValue) as 'true' | 'false', doc)
  return { ...choice, parse: (given) => choice.parse(given) === 'true' }
}

function list<T>(
  defaultText: string,
  doc: string,
  allowed: string,
  item: (part: string) => T | undefined,
): Setting<T[]> {
  return {
    default: defaultText || 'none',
    doc,
    allowed,
    parse(given = defaultText) {
      const parts = given.split(',').map((part) => part.trim())
      return parts.filter(Boolean).map((part) => {
        const value = item(part)
        if (value === undefined) throw new Error(allowed)
        return value
      })
    },
  }
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The issuer: an origin without path, https unless it is a loopback address. */
const baseUrl: Setting<string> = {
  default: 'http://localhost:PORT',
  doc: 'The public address and the issuer (`iss`). Every link, endpoint and cookie is built from it, never from a request.',
  allowed: 'an origin such as https://id.example.com: https (http only on localhost), no path',
  parse(given) {
    if (given === undefined) return ''
    const url = URL.parse(given)
    const plain = url?.protocol === 'http:' && LOOPBACK.has(url.hostname)
    if (!url || !(plain || url.protocol === 'https:') || url.href !== `${url.origin}/` || url.username)
      throw new Error(this.allowed)
    return url.origin
  },
}

/** An address, or a range of them by the length of its prefix (not 0: nobody is a proxy by being somewhere). */
function isNetwork(given: string): boolean {
  const [address = '', prefix = '1', ...more] = given.split('/')
  const bits = { 4: 32, 6: 128 }[isIP(address)] ?? 0
  return more.length === 0 && /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits
}

const isPostgresUrl = (given: string) => /^postgres(ql)?:$/.test(URL.parse(given)?.protocol ?? '')
const isSmtpUrl = (given: string) => /^smtps?:$/.test(URL.parse(given)?.protocol ?? '')
const isEmail = (given: string) => /^[^@\s<>"(),:;[\]\\]+@[^@\s<>"(),:;[\]\\]+$/.test(given)

/** The address alone or after a name. Refuses what a mail program would read as several senders. */
function sender(defaultValue: string, doc: string): Setting<string> {
  const allowed =
    'an e-mail address, alone or as Example <no-reply@example.com>, a name with punctuation in double quotes'
  return {
    default: defaultValue,
    doc,
    allowed,
    parse(given = defaultValue) {
      const address = /^(?:"[^"\\\r\n]*"|[^<>"(),:;@\r\n]*)\s*<([^<>]+)>$/.exec(given)?.[1] ?? given
      if (!isEmail(address)) throw new Error(allowed)
      return given
    },
  }
}

/** RFC 6749 appendix A.1 allows printable ASCII; a UUID is refused so that no user id can equal a client id (RFC 9068 section 5). */
const isClientId = (given: string) =>
  /^[\x21-\x7E]{3,100}$/.test(given) && !/^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(given)

export const SETTINGS = {
  PORT: integer(3000, 0, 65_535, 'The port to listen on.'),
  HOST: text(
    '127.0.0.1',
    'The address to listen on; `0.0.0.0` for every interface.',
    'an address or host name',
  ),
  BASE_URL: baseUrl,
  DATA_DIR: text(
    './data',
    'The folder of the embedded database, of generated secrets (mode 0600) and of the mail outbox.',
    'a folder',
  ),
  DATABASE_URL: optional(
    'PostgreSQL 15 or newer. Without it the embedded database in `DATA_DIR` is used.',
    'a postgres:// address',
    isPostgresUrl,
    'none: embedded',
  ),
  DATABASE_POOL: integer(
    10,
    1,
    200,
    'Connections to PostgreSQL for each process. One more is shared by its short reads.',
  ),
  SECRET_KEY: optional(
    "Encrypts keys and secrets at rest and signs cookies. Keep it with your backups: without it they can't be read.",
    'at least 32 characters',
    (given) => given.length >= 32,
    'generated into `DATA_DIR`; required with `DATABASE_URL`',
  ),
  ADMIN_EMAIL: optional(
    'E-mail of the first platform administrator.',
    'an e-mail address',
    isEmail,
    'admin@localhost',
  ),
  ADMIN_PASSWORD: optional(
    'Password of the first platform administrator. Used when that user is made, ignored afterwards.',
    'from 8 to 128 characters',
    (given) => given.length >= 8 && given.length <= 128,
    'generated, printed once',
  ),
  ADMIN_CLIENT_ID: optional(
    'Client id of the first platform service client.',
    'from 3 to 100 printable characters, not a UUID',
    isClientId,
    'generated, printed once',
  ),
  ADMIN_CLIENT_SECRET: optional(
    'Its secret. A new value replaces the stored one at the next start.',
    'at least 16 printable ASCII characters',
    (given) => /^[\x21-\x7E]{16,200}$/.test(given),
    'generated, printed once',
  ),
  MAIL_URL: optional(
    'The mail server. Without it mails are written to `DATA_DIR/outbox` as .eml files.',
    'an smtp:// or smtps:// address',
    isSmtpUrl,
    'none: `DATA_DIR/outbox`',
  ),
  MAIL_FROM: sender('Tenantry <no-reply@localhost>', 'The sender of every mail.'),
  METRICS_ENABLED: flag(false, 'Whether /metrics exists.'),
  WORKERS: integer(1, 1, 64, 'Server processes on this machine; more than one needs `DATABASE_URL`.'),
  TTL_CODE: seconds(60, 'Life of an authorization code.'),
  TTL_ACCESS_TOKEN: seconds(600, "Life of a user's access token."),
  TTL_ID_TOKEN: seconds(600, 'Life of an ID token.'),
  TTL_SERVICE_TOKEN: seconds(600, 'Life of a service token (client credentials).'),
  TTL_REFRESH_TOKEN: seconds(1_209_600, 'Life of a refresh token; each use gives a new one with this life.'),
  TTL_REFRESH_TOKEN_MAX: seconds(7_776_000, 'Life of a chain of refresh tokens, however often it is used.'),
  TTL_REFRESH_GRACE: integer(
    30,
    0,
    300,
    'How long the same client may repeat a used refresh token and get the same successor. In seconds.',
  ),
  TTL_SESSION_IDLE: seconds(86_400, 'Life of a browser session without activity.'),
  TTL_SESSION_MAX: seconds(1_209_600, 'Life of a browser session in all.'),
  TTL_INTERACTION: seconds(3_600, 'Time to finish a sign-in.'),
  KEY_ROTATION_DAYS: integer(
    90,
    0,
    3_650,
    'Days until signing keys are followed by new ones. 0: only by `npm run keys:rotate`.',
  ),
  RETENTION_EVENTS_DAYS: integer(
    90,
    0,
    36_500,
    'Days for which the log of events is kept, and longer while a webhook has one of them to get. 0: for ever.',
  ),
  RETENTION_DELIVERIES_DAYS: integer(
    30,
    0,
    36_500,
    'Days for which a finished delivery of a webhook is kept with its attempts, at most as long as its event. 0: as long.',
  ),
  RETENTION_AUDIT_DAYS: integer(365, 0, 36_500, 'Days for which the audit is kept. 0: for ever.'),
  RETENTION_SESSIONS_DAYS: integer(
    90,
    1,
    3_650,
    'Days for which a session is kept after it has ended or expired.',
  ),
  RETENTION_MAIL_DAYS: integer(
    30,
    1,
    3_650,
    'Days for which it is kept to whom a mail was sent and when. Its content is gone once it is sent.',
  ),
  SERVICE_TOKEN_REACH: oneOf(
    ['system', 'platform'],
    'system',
    'What service tokens of ordinary systems reach at /admin. `platform` is for those who run one trusted backend.',
  ),
  PKCE_REQUIRED: oneOf(
    ['always', 'public'],
    'always',
    'Who must use PKCE. `public` lets confidential clients do without (RFC 9700 section 2.1.1).',
  ),
  PASSWORD_MIN_LENGTH: integer(
    8,
    8,
    64,
    'Shortest password, in characters after Unicode normalisation (NFC).',
  ),
  WEBHOOK_RETRY_SCHEDULE: list(
    '0,5,300,1800,7200,18000,36000,50400,72000,86400',
    'Seconds to wait before each attempt to deliver an event to a webhook, the first included; as many attempts as there are numbers.',
    'whole numbers of seconds separated by commas',
    (part) => (/^\d{1,8}$/.test(part) ? Number(part) : undefined),
  ),
  WEBHOOK_ALLOW_PRIVATE: flag(
    false,
    'Whether webhooks and back-channel logouts may go to private and loopback addresses, and over http.',
  ),
  SOCIAL_ALLOW_PRIVATE: flag(
    false,
    'Whether other identity providers may be at private and loopback addresses, and speak http.',
  ),
  TRUST_PROXY: list(
    '',
    'Proxies whose X-Forwarded-For counts, as addresses or CIDR ranges.',
    'addresses or CIDR ranges separated by commas',
    (part) => (isNetwork(part) ? part : undefined),
  ),
  LOG_LEVEL: oneOf(
    ['fatal', 'error', 'warn', 'info', 'debug', 'silent'],
    'info',
    'What is logged to standard output, one JSON line each.',
  ),
} as const satisfies Record<string, Setting<unknown>>

/** What Apple has in the place of a client secret: a key to sign one with. */
export type AppleKey = { teamId: string; keyId: string; privateKey: KeyObject }

/** GitHub speaks OAuth 2.0 and an API of its own; Apple OpenID Connect, nearly; all others OpenID Connect. */
export type SocialProvider = {
  id: string
  /** On the button. */
  name: string
  issuer: string
  clientId: string
} & (
  | { kind: 'openid'; clientSecret: string }
  | { kind: 'github'; clientSecret: string }
  | { kind: 'apple'; key: AppleKey }
)

export type Config = { [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]['parse']> } & {
  social: SocialProvider[]
}

/** Thrown for settings that can't be used; the message has one line for each. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** What the one who starts us is told of an error: a line for what they can put right, the stack of anything else. */
export const explained = (error: unknown): string =>
  `${error instanceof ConfigError ? error.message : (error as Error).stack}\n`

/** Reads and checks every setting. An empty value counts as absent. Throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const faults: string[] = []
  const given = (name: string) => env[name]?.trim() || undefined
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, setting]) => {
      try {
        return [name, setting.parse(given(name))]
      } catch (error) {
        faults.push(`${name} must be ${(error as Error).message}.`)
        return [name, undefined]
      }
    }),
  ) as Omit<Config, 'social'>
  for (const name of Object.keys(env)) {
    if (/^(TTL|RETENTION)_/.test(name) && !(name in SETTINGS)) faults.push(`${name} is not a setting.`)
  }
  if (values.DATABASE_URL && !given('SECRET_KEY'))
    faults.push(
      'SECRET_KEY must be set when DATABASE_URL is: at least 32 characters, the same for every process.',
    )
  if (values.WORKERS > 1 && !values.DATABASE_URL)
    faults.push('WORKERS above 1 needs DATABASE_URL: the embedded database serves one process.')
  const social = readSocial(given, env, values.SOCIAL_ALLOW_PRIVATE, faults)
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return { ...values, BASE_URL: values.BASE_URL || `http://localhost:${values.PORT}`, social }
}

/** What these need no setting for. Microsoft's is for accounts of any organisation, and personal ones. */
const PRESETS: Record<string, Pick<SocialProvider, 'name' | 'issuer'>> = {
  google: { name: 'Google', issuer: 'https://accounts.google.com' },
  microsoft: { name: 'Microsoft', issuer: 'https://login.microsoftonline.com/common/v2.0' },
  github: { name: 'GitHub', issuer: 'https://github.com' },
  apple: { name: 'Apple', issuer: 'https://appleid.apple.com' },
}

/** The .p8 file that Apple gives out, as it is or with `\n` written for its line ends; undefined when it is no key for ES256. */
function es256Key(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'))
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch {
    return undefined
  }
}

type Part = (name: string) => string

function readAppleKey(part: Part, faults: string[]): AppleKey | undefined {
  const [teamId, keyId, pem] = [part('TEAM_ID'), part('KEY_ID'), part('PRIVATE_KEY')]
  const privateKey = es256Key(pem)
  if (pem && !privateKey)
    faults.push('SOCIAL_APPLE_PRIVATE_KEY must be a private key for ES256 in PEM: what is in the .p8 file.')
  return privateKey && { teamId, keyId, privateKey }
}

/** One provider for each <ID> of SOCIAL_<ID>_ISSUER and its like, in the order of their ids. */
function readSocial(
  given: (name: string) => string | undefined,
  env: NodeJS.ProcessEnv,
  allowPrivate: boolean,
  faults: string[],
): SocialProvider[] {
  const ids = Object.keys(env).flatMap((name) => {
    const id = /^SOCIAL_([A-Z0-9]+)_(?:ISSUER|CLIENT_ID|CLIENT_SECRET|NAME|TEAM_ID|KEY_ID|PRIVATE_KEY)$/.exec(
      name,
    )?.[1]
    return id && given(name) ? [id] : []
  })
  return [...new Set(ids)].sort().flatMap((key): SocialProvider[] => {
    const id = key.toLowerCase()
    const preset = PRESETS[id]
    const part = (name: string, otherwise?: string) => {
      const value = given(`SOCIAL_${key}_${name}`) ?? otherwise
      if (!value) faults.push(`SOCIAL_${key}_${name} must be set for the identity provider ${key}.`)
      return value ?? ''
    }
    const issuer = part('ISSUER', preset?.issuer)
    const url = URL.parse(issuer)
    const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && allowPrivate)
    if (issuer && (!url || !secure || url.search || url.hash || url.username))
      faults.push(`SOCIAL_${key}_ISSUER must be an https address (http only with SOCIAL_ALLOW_PRIVATE=true).`)
    if (id === 'social') faults.push('SOCIAL_SOCIAL_… can not be the name of an identity provider.')
    const name = given(`SOCIAL_${key}_NAME`) ?? preset?.name ?? `${key.charAt(0)}${id.slice(1)}`
    const known = { id, name, issuer, clientId: part('CLIENT_ID') }
    if (id !== 'apple')
      return [{ ...known, kind: id === 'github' ? 'github' : 'openid', clientSecret: part('CLIENT_SECRET') }]
    const appleKey = readAppleKey(part, faults)
    return appleKey ? [{ ...known, kind: 'apple', key: appleKey }] : []
  })
}
