/**
 * The quick starts as the console shows them: the files of the repository's `quickstarts`, which read what
 * differs between applications from variables.
 */
import {
  commandsIn,
  DEFAULT_CALLBACK,
  envOf,
  type Kind,
  SCOPES,
  STACKS,
} from '../../../../quickstarts/stacks.ts'
import type { System } from './system.ts'

export type File = { name: string; code: string }

export type QuickStart = {
  title: string
  redirectUri: string
  /** Whether the application has this redirect URI. */
  isConfigured: boolean
  /** Scopes that it requests and the application may not. */
  missingScopes: (typeof SCOPES)[number][]
  /** The content of `.env`. */
  env: string
  needsSecret: boolean
  files: File[]
  commands: string
  /** Where it runs; undefined if it is no server. */
  origin: string | undefined
}

const FOLDER = '../../../../quickstarts/'
/** By path. A folder in which the application was run has more files, such as `node_modules`. */
const CONTENT = import.meta.glob<string>(
  [
    '../../../../quickstarts/*/{README.md,package.json,requirements.txt,go.mod,go.sum,pom.xml,Cargo.toml}',
    '../../../../quickstarts/*/*.{js,html,py,go,sh}',
    '../../../../quickstarts/nextjs/app/**/*.js',
    '../../../../quickstarts/{rust,spring-boot}/src/**/*.{rs,java,yml}',
    '!../../../../quickstarts/members-*/**',
  ],
  { query: '?raw', import: 'default', eager: true },
)

/** The names of the quick starts for a kind of application. */
export const quickStartsOf = (kind: Kind): [name: string, title: string][] =>
  Object.entries(STACKS)
    .filter(([, { kinds }]) => kinds.includes(kind))
    .map(([name, { title }]) => [name, title])

const filesOf = (name: string): File[] =>
  Object.entries(CONTENT)
    .filter(([path]) => path.startsWith(`${FOLDER}${name}/`))
    .map(([path, code]) => ({ name: path.slice(`${FOLDER}${name}/`.length), code }))

/** 256 bits for the session cookie of an application; made in the browser, and stored nowhere. */
export const randomSecret = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

/** The applications run on the machine of the developer. */
const LOCAL = /^http:\/\/localhost:(\d+)(\/.*)$/

type Given = { issuer: string; sessionSecret: string }

export function quickStartOf(name: string, system: System, given: Given): QuickStart {
  const { title, kinds, callback = DEFAULT_CALLBACK } = STACKS[name]!
  const isConfiguredAt = (uri: string) => LOCAL.exec(uri)?.[2] === callback
  const configured = system.redirectUris.find(isConfiguredAt)
  const redirectUri = configured ?? `http://localhost:8080${callback}`
  const [, port = ''] = LOCAL.exec(redirectUri)!
  const all = filesOf(name)
  const files = all.filter((file) => file.name !== 'README.md')
  const code = files.map((file) => file.code).join('\n')
  const isPublic = system.clientType === 'public'
  const values = { ...given, clientId: system.clientId, clientSecret: isPublic ? undefined : '', port }
  return {
    title,
    redirectUri,
    isConfigured: configured !== undefined,
    missingScopes: kinds.includes('service')
      ? []
      : SCOPES.filter((scope) => !system.allowedScopes.includes(scope)),
    env: envOf(values, code),
    needsSecret: !isPublic && code.includes('CLIENT_SECRET'),
    files,
    commands: commandsIn(all.find((file) => file.name === 'README.md')!.code),
    origin: files.some((file) => file.name.endsWith('.sh')) ? undefined : `http://localhost:${port}`,
  }
}
