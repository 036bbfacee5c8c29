/**
 * The quick starts, each a folder beside this file. The console shows its files and the commands of its
 * README, and the tests run the same.
 */

/** `web` has a secret, `public` has none, `service` has no users. */
export type Kind = 'web' | 'public' | 'service'

type Stack = {
  title: string
  kinds: readonly Kind[]
  /** The path of the redirect URI, if the library has one of its own. */
  callback?: string
  /** What must be installed; the command prints its version. */
  program: string
}

const NODE = 'node --version'
const CURL = 'curl --version'
export const STACKS: Readonly<Record<string, Stack>> = {
  spa: { title: 'Single-page application', kinds: ['public'], program: NODE },
  express: { title: 'Express', kinds: ['web'], program: NODE },
  fastify: { title: 'Fastify', kinds: ['web', 'public'], program: NODE },
  nextjs: { title: 'Next.js', kinds: ['web'], callback: '/api/auth/callback/tenantry', program: NODE },
  python: { title: 'Python', kinds: ['web'], program: 'python3 --version' },
  go: { title: 'Go', kinds: ['web', 'public'], program: 'go version' },
  'spring-boot': {
    title: 'Spring Boot',
    kinds: ['web'],
    callback: '/login/oauth2/code/tenantry',
    program: 'mvn --version',
  },
  rust: { title: 'Rust', kinds: ['web'], program: 'cargo --version' },
  curl: { title: 'curl', kinds: ['web', 'public'], program: CURL },
  'service-node': { title: 'Node.js', kinds: ['service'], program: NODE },
  'service-python': { title: 'Python', kinds: ['service'], program: 'python3 --version' },
  'service-go': { title: 'Go', kinds: ['service'], program: 'go version' },
  'service-curl': { title: 'curl', kinds: ['service'], program: CURL },
}

export const DEFAULT_CALLBACK = '/callback'

/** The scopes that the applications with users request. */
export const SCOPES = ['openid', 'email', 'profile', 'offline_access'] as const

/** The commands of a README: its first block of shell commands. */
export const commandsIn = (readme: string): string => /^```sh\n([\s\S]*?)^```/m.exec(readme)?.[1] ?? ''

/** The file that sets the variables of a quick start, and the command that reads it into a shell. */
export const ENV_FILE = '.env'
export const LOAD_ENV = `set -a; . ./${ENV_FILE}; set +a`

/** `clientSecret`: empty if it is not known, absent if the application has none. */
type Values = {
  issuer: string
  clientId: string
  clientSecret?: string | undefined
  sessionSecret: string
  port: string
}

/** The content of `.env`: what the files of a quick start read, or all values without `code`. */
export function envOf(
  { issuer, clientId, clientSecret, sessionSecret, port }: Values,
  code?: string,
): string {
  const values = {
    ISSUER: issuer,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    SESSION_SECRET: sessionSecret,
    PORT: port,
  }
  return Object.entries(values)
    .filter(([name, value]) => value !== undefined && (!code || new RegExp(`\\b${name}\\b`).test(code)))
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}
