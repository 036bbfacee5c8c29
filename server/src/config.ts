/**
 * Every setting, once: its name in the environment, what is allowed, its default, its unit and its meaning.
 * `readConfig` checks them all before anything else happens and names every one that is wrong.
 * docs/configuration.md is written from this file.
 */
import manifest from '../package.json' with { type: 'json' }
import { readSocial, type SocialProvider } from './config/identity-providers.ts'
import {
  baseUrl,
  flag,
  integer,
  isClientId,
  isEmail,
  isNetwork,
  isPostgresUrl,
  isSmtpUrl,
  list,
  oneOf,
  optional,
  type Setting,
  seconds,
  sender,
  text,
} from './config/setting.ts'

export const VERSION = manifest.version

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
