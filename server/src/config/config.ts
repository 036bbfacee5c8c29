/**
 * Every setting: its environment variable, allowed values, default, unit and description.
 * `readConfig` checks all settings first and reports every invalid one.
 * docs/configuration.md is generated from this file.
 */
import manifest from '../../package.json' with { type: 'json' }
import { readSocial, type SocialProvider } from './identity-providers.ts'
import { readAgain, withSecretFiles } from './secret-files.ts'
import {
  baseUrl,
  choiceSetting,
  flag,
  headers,
  integer,
  isClientId,
  isEmail,
  isNetwork,
  isResolver,
  isSenderName,
  isSmtpUrl,
  list,
  optionalSetting,
  postgresUrl,
  ratio,
  type Setting,
  seconds,
  sender,
  serviceTokenReach,
  text,
  UNCHANGED,
} from './setting.ts'
import { ENCODED } from './url-credentials.ts'

export const VERSION = manifest.version

/** Each has about twenty series. */
const SYSTEMS_MEASURED_MAX = 50

export const SETTINGS = {
  PORT: integer(3000, 0, 65_535, 'The port to listen on.'),
  HOST: text(
    '127.0.0.1',
    'The address to listen on. `0.0.0.0` listens on every interface.',
    'an address or host name',
  ),
  BASE_URL: baseUrl,
  DATA_DIR: text(
    './data',
    'The directory of the embedded database, the generated secrets (mode 0600), the email outbox, and the cache of ' +
      'compiled code.',
    'a directory',
  ),
  DATABASE_URL: postgresUrl(
    'The PostgreSQL database (version 15 or newer). If not set, the embedded database in `DATA_DIR` is used. ' +
      'TLS, failover, several servers and connection poolers: [availability.md](availability.md).',
    'none: embedded',
  ),
  DATABASE_POOL: integer(
    10,
    1,
    200,
    'Maximum PostgreSQL connections of each process. Each process opens one more for its short reads.',
  ),
  MIGRATIONS: choiceSetting(
    ['start', 'check', 'off'],
    'start',
    'What a start does about migrations that are missing. `start` applies them. `check` refuses to start until ' +
      '`tenantry migrate` has applied them, but creates the tables of an empty database. `off` does neither. ' +
      '[upgrades.md](upgrades.md)',
  ),
  SECRET_KEY: optionalSetting(
    'Encrypts keys and secrets at rest and signs cookies. Back it up: ' +
      'a database backup cannot be used without it.',
    'at least 32 characters',
    (given) => given.length >= 32,
    'generated into `DATA_DIR`; required with `DATABASE_URL`',
  ),
  SECRET_KEY_PREVIOUS: optionalSetting(
    'The `SECRET_KEY` that is being replaced, until `npm run secrets:rotate` has run and a day has passed ' +
      '([secrets.md](secrets.md)).',
    'at least 32 characters',
    (given) => given.length >= 32,
    'not set',
  ),
  ADMIN_EMAIL: optionalSetting(
    'Email address of the first platform administrator.',
    'an email address',
    isEmail,
    'admin@localhost',
  ),
  ADMIN_PASSWORD: optionalSetting(
    'Password of the first platform administrator. Used when that user is created, ignored afterwards.',
    'from 8 to 128 characters that a password field takes: no line ends, no control characters',
    (given) => /^\P{Cc}{8,128}$/u.test(given),
    'generated, printed once',
  ),
  ADMIN_CLIENT_ID: optionalSetting(
    'Client id of the first platform service client.',
    `from 3 to 100 ${UNCHANGED}, not a UUID`,
    isClientId,
    'generated, printed once',
  ),
  ADMIN_CLIENT_SECRET: optionalSetting(
    'Secret of the first platform service client. A new value replaces the stored secret at the next start.',
    `from 16 to 200 ${UNCHANGED} (others change in a form or in \`curl -u\`); \`openssl rand -hex 32\` generates one`,
    (given) => /^[\w.~-]{16,200}$/.test(given),
    'generated, printed once',
  ),
  MAIL_URL: optionalSetting(
    'The SMTP server. If not set, emails are written to `DATA_DIR/outbox` as .eml files.',
    `an smtp:// or smtps:// URL; ${ENCODED}`,
    isSmtpUrl,
    'none: `DATA_DIR/outbox`',
  ),
  MAIL_FROM: sender(
    'no-reply@localhost',
    'The address that every email is from. Its name is for emails that no application has caused, in place of ' +
      '`INSTALLATION_NAME`; other emails have the name of the application.',
  ),
  INSTALLATION_NAME: optionalSetting(
    'The name on pages and in emails that belong to no application.',
    'from 1 to 100 characters without control characters, `@`, `<` and `>`',
    isSenderName,
    'the host of `BASE_URL`; `Tenantry` on a loopback address',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalSetting(
    'Sends traces to this OpenTelemetry collector, by OTLP over HTTP. Requires packages that are not installed with the ' +
      'server ([operations.md](operations.md#traces)).',
    'an http:// or https:// URL',
    (given) => /^https?:$/.test(URL.parse(given)?.protocol ?? ''),
    'not set: no traces',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: headers('Header fields for the collector, for example with its key.'),
  OTEL_SERVICE_NAME: text('tenantry', 'The name of the server in traces.'),
  OTEL_TRACES_SAMPLER_ARG: ratio(
    0.1,
    'Part of the requests that are traced. A caller has no influence on it.',
  ),
  METRICS_ENABLED: flag(
    false,
    'Whether `/metrics` exists ([operations.md](operations.md#metrics)). Anyone can read it unless `METRICS_TOKEN` or ' +
      '`METRICS_PORT` is set.',
  ),
  METRICS_TOKEN: optionalSetting(
    '`/metrics` requires this value as bearer token. Requires `METRICS_ENABLED`.',
    'from 16 to 200 characters of a bearer token (RFC 6750 section 2.1): letters, digits, `-._~+/`, and `=` at the end',
    (given) => /^(?=.{16,200}$)[\w.~+/-]+=*$/.test(given),
    'not set',
  ),
  METRICS_PORT: integer(
    0,
    0,
    65_535,
    'Only this port of 127.0.0.1 serves `/metrics`, and the port of the server does not. 0: the port of the ' +
      'server. Requires `METRICS_ENABLED`.',
  ),
  METRICS_SYSTEMS: list(
    '',
    'Systems with response times of their own in `/metrics`; 50 at most.',
    'ids of systems separated by commas',
    (part) => (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(part) ? part.toLowerCase() : undefined),
  ),
  STATS_ENABLED: flag(
    true,
    'Whether to store numbers of sign-ins, tokens, deliveries and active users for `/admin/stats`.',
  ),
  WORKERS: integer(1, 1, 64, 'Server processes on this machine. More than one requires `DATABASE_URL`.'),
  DRAIN_DELAY: integer(
    5,
    0,
    300,
    'Seconds for which a process still serves requests after SIGTERM, while `/health` responds with 503. Longer ' +
      'than a load balancer takes to notice: [availability.md](availability.md#restarts). Requires ' +
      '`DATABASE_URL`; SIGINT does not wait.',
  ),
  TTL_CODE: seconds(60, 'Lifetime of an authorization code.'),
  TTL_ACCESS_TOKEN: seconds(600, "Lifetime of a user's access token."),
  TTL_ID_TOKEN: seconds(600, 'Lifetime of an ID token.'),
  TTL_SERVICE_TOKEN: seconds(600, 'Lifetime of a service token (client credentials grant).'),
  TTL_REFRESH_TOKEN: seconds(
    1_209_600,
    'Lifetime of a refresh token. Each use issues a new one with this lifetime.',
  ),
  TTL_REFRESH_TOKEN_MAX: seconds(
    7_776_000,
    'Maximum lifetime of a chain of refresh tokens, counted from the first.',
  ),
  TTL_REFRESH_GRACE: integer(
    60,
    0,
    300,
    'Time in which the same client may reuse a refresh token and receive the same new one. In seconds.',
  ),
  TTL_SESSION_IDLE: seconds(86_400, 'Idle timeout of a browser session.'),
  TTL_SESSION_MAX: seconds(
    1_209_600,
    'Maximum lifetime of a browser session, and of each credential that was verified in it.',
  ),
  TTL_INTERACTION: seconds(3_600, 'Time to complete a sign-in.'),
  TTL_INVITATION: seconds(604_800, 'Lifetime of an invitation, unless its request states another one.'),
  INVITATIONS_PER_DAY: integer(
    200,
    1,
    100_000,
    'Emails that the invitations of one account may send in 24 hours.',
  ),
  SYSTEM_INVITATIONS_PER_DAY: integer(
    5_000,
    1,
    1_000_000,
    'Emails that the invitations by one system may send in 24 hours, and those by all its account admins.',
  ),
  SYSTEM_EMAILS_PER_DAY: integer(
    5_000,
    1,
    1_000_000,
    'Links that the service tokens and operators of one system may have emailed in 24 hours.',
  ),
  KEY_ROTATION_DAYS: integer(
    90,
    0,
    3_650,
    'Days between rotations of the signing keys. 0: rotate only with `npm run keys:rotate`.',
  ),
  RETENTION_EVENTS_DAYS: integer(
    90,
    0,
    36_500,
    'Days to keep an event. An event with a pending webhook delivery is kept longer. 0: keep forever.',
  ),
  RETENTION_DELIVERIES_DAYS: integer(
    30,
    0,
    36_500,
    'Days to keep a finished webhook delivery and its attempts, at most as long as its event. ' +
      '0: as long as its event.',
  ),
  RETENTION_AUDIT_DAYS: integer(365, 0, 36_500, 'Days to keep an audit entry. 0: keep forever.'),
  RETENTION_SESSIONS_DAYS: integer(90, 1, 3_650, 'Days to keep a session after it has ended or expired.'),
  RETENTION_STATS_HOURS_DAYS: integer(
    90,
    2,
    3_650,
    'Days to keep the numbers of statistics by hour. Older ones are kept by day.',
  ),
  RETENTION_STATS_DAYS: integer(800, 2, 36_500, 'Days to keep the numbers of statistics by day.'),
  RETENTION_MAIL_DAYS: integer(
    30,
    1,
    3_650,
    'Days to keep the recipient and the time of a sent email. Its content is deleted when it is sent.',
  ),
  SERVICE_TOKEN_REACH: serviceTokenReach,
  PKCE_REQUIRED: choiceSetting(
    ['always', 'public'],
    'always',
    'Clients that must use PKCE. `public`: optional for confidential clients (RFC 9700 section 2.1.1). ' +
      '`always`: except confidential clients whose system has `requirePkce` false.',
  ),
  PASSWORD_MIN_LENGTH: integer(8, 8, 64, 'Minimum password length, in characters after NFC normalization.'),
  WEBHOOK_RETRY_SCHEDULE: list(
    '0,5,300,1800,7200,18000,36000,50400,72000,86400',
    'Seconds to wait before each attempt to deliver an event to a webhook, the first attempt included. ' +
      'The number of values is the maximum number of attempts.',
    'whole numbers of seconds separated by commas',
    (part) => (/^\d{1,8}$/.test(part) ? Number(part) : undefined),
  ),
  WEBHOOK_ALLOW_PRIVATE: flag(
    false,
    'Whether webhooks, back-channel logout requests and requests to a `jwksUri` may be sent to private and loopback addresses and over http. While `BASE_URL` is a loopback address, they may be sent to this machine without it.',
  ),
  SOCIAL_ALLOW_PRIVATE: flag(
    false,
    'Whether external identity providers may have private or loopback addresses and use http.',
  ),
  CONNECTIONS_ALLOW_PRIVATE: flag(
    false,
    'Whether [connections of organizations](single-sign-on.md) may have private addresses, and http on this machine.',
  ),
  SAML: flag(true, 'Whether [SAML](single-sign-on.md#saml) is available.'),
  DNS_RESOLVERS: list(
    '',
    'DNS resolvers that are asked for the records of domains ([domains.md](domains.md)), in place of those of the machine.',
    'IP addresses separated by commas, each with an optional port: `192.0.2.1`, `192.0.2.1:5353`, `[2001:db8::1]:53`',
    (part) => (isResolver(part) ? part : undefined),
  ),
  DOMAIN_RECORD: text(
    'tenantry',
    'The word in the TXT records of domains: `_WORD-challenge.example.com` with the value `WORD-verification=…`. A domain keeps the one with which it was added.',
    'from 1 to 30 lower-case letters, digits and `-`, which is not the first or last character',
    (given) => /^(?!-)[a-z\d-]{1,30}(?<!-)$/.test(given),
  ),
  TRUST_PROXY: list(
    '',
    'Proxies whose `X-Forwarded-For` header is trusted. Ports in the header are ignored.',
    'addresses or CIDR ranges separated by commas',
    (part) => (isNetwork(part) ? part : undefined),
  ),
  CONSOLE: flag(true, 'Whether to serve the console at `/console`.'),
  CONSOLE_SIGN_IN_MAX: seconds(43_200, 'The console requires another sign-in after this time.'),
  CONSOLE_REQUIRE_MFA: flag(
    false,
    'Whether the console requires a second factor of every user. Users without one enroll it at the sign-in. ' +
      'A user who has one is always asked for it.',
  ),
  LOG_LEVEL: choiceSetting(
    ['fatal', 'error', 'warn', 'info', 'debug', 'silent'],
    'info',
    'Minimum level of log entries. They are written to standard output.',
  ),
  LOG_FORMAT: choiceSetting(
    ['auto', 'json', 'text'],
    'auto',
    'How log entries are written. `json`: one JSON object per line. `text`: one readable line, without a stable form. ' +
      '`auto`: `text` if standard output is a terminal, otherwise `json`.',
  ),
  LOG_REFUSALS: integer(
    1_200,
    0,
    1_000_000,
    'Refused requests that a process logs in a minute, a tenth of them for one reason at one system, and in any case ' +
      'the first three of each. The others are counted in one line ([operations.md](operations.md#the-log)).',
  ),
} as const satisfies Record<string, Setting<unknown>>

export type Config = { [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]['parse']> } & {
  social: SocialProvider[]
} & Reread

/** Secrets are replaced in their files while the server runs. Undefined: in no file, or not valid now. */
type Reread = {
  reread(name: 'DATABASE_URL' | 'MAIL_URL' | 'METRICS_TOKEN'): string | undefined
  rereadProvider(id: string): SocialProvider | undefined
}

/** Thrown for invalid settings. The message has one line per setting. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/**
 * The text to print when a program fails: the message of a ConfigError or of an option that does not exist
 * (`parseArgs` of node:util), the stack of any other error.
 */
export function explained(error: unknown): string {
  const { code, message, stack } = error as NodeJS.ErrnoException
  const isExpected = error instanceof ConfigError || code?.startsWith('ERR_PARSE_ARGS_')
  return `${isExpected ? message : stack}\n`
}

/** Reads and checks every setting. An empty value is treated as not set. Throws ConfigError. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const faults: string[] = []
  const env = withSecretFiles(environment, faults)
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
  ) as Omit<Config, 'social' | keyof Reread>
  for (const name of Object.keys(env)) {
    if (/^(TTL|RETENTION)_/.test(name) && !(name in SETTINGS)) faults.push(`${name} is not a setting.`)
  }
  if (values.DATABASE_URL && !given('SECRET_KEY'))
    faults.push(
      'SECRET_KEY is required when DATABASE_URL is set: at least 32 characters, the same for every process.',
    )
  if (values.WORKERS > 1 && !values.DATABASE_URL)
    faults.push('WORKERS above 1 requires DATABASE_URL: the embedded database serves one process.')
  if (values.METRICS_SYSTEMS?.length > SYSTEMS_MEASURED_MAX)
    faults.push(`METRICS_SYSTEMS must have at most ${SYSTEMS_MEASURED_MAX} ids.`)
  const social = readSocial(given, env, values.SOCIAL_ALLOW_PRIVATE, faults)
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  const now = (name: string) => readAgain(environment, name) ?? given(name)
  return {
    ...values,
    BASE_URL: values.BASE_URL || `http://localhost:${values.PORT}`,
    social,
    reread: (name) => validOrNone(() => SETTINGS[name].parse(readAgain(environment, name))),
    rereadProvider: (id) =>
      readSocial(now, env, values.SOCIAL_ALLOW_PRIVATE, []).find((each) => each.id === id),
  }
}

function validOrNone<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}
