/** Secrets in files: `SECRET_KEY_FILE` is the path of a file that contains SECRET_KEY. */
import { readFileSync } from 'node:fs'

/** Never shown, only whether they are set. */
export const SECRETS: ReadonlySet<string> = new Set([
  'SECRET_KEY',
  'SECRET_KEY_PREVIOUS',
  'ADMIN_PASSWORD',
  'ADMIN_CLIENT_SECRET',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
])
/** They may contain a password. Shown without user name, password and parameters. */
export const URL_SETTINGS: ReadonlySet<string> = new Set(['DATABASE_URL', 'MAIL_URL'])

const OF_PROVIDER = /^SOCIAL_[A-Z0-9]+_(CLIENT_SECRET|PRIVATE_KEY)$/

/** Whether the setting can be given as a file. */
export const isSecret = (name: string): boolean =>
  SECRETS.has(name) || URL_SETTINGS.has(name) || OF_PROVIDER.test(name)

/**
 * The environment with the content of the files. Appends a message to `faults` for each file that cannot be
 * used, and for each secret that is given twice.
 */
export function withSecretFiles(env: NodeJS.ProcessEnv, faults: string[]): NodeJS.ProcessEnv {
  const complete = { ...env }
  for (const [variable, path] of Object.entries(env)) {
    const name = variable.replace(/_FILE$/, '')
    if (name === variable || !isSecret(name) || !path?.trim()) continue
    if (env[name]?.trim()) faults.push(`${name} and ${variable} are both set. Remove one of them.`)
    else complete[name] = read(path.trim(), variable, faults)
  }
  return complete
}

/**
 * The present content of the file of a setting, which may have changed since the start; undefined if the
 * setting is in no file, or the file cannot be used now.
 */
export function readAgain(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const path = env[`${name}_FILE`]?.trim()
  return path && isSecret(name) && !env[name]?.trim() ? read(path, name, []) || undefined : undefined
}

function read(path: string, variable: string, faults: string[]): string | undefined {
  try {
    const content = readFileSync(path, 'utf8').trim()
    if (content === '') faults.push(`${variable}: ${path} is empty.`)
    return content
  } catch (error) {
    faults.push(`${variable}: cannot read ${path} (${(error as NodeJS.ErrnoException).code}).`)
    return undefined
  }
}
