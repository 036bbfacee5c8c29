import type { Config } from './config.ts'
import { LOOPBACK } from './setting.ts'

/** The name on pages without an application: the host name, except on the machine of a developer. */
export function installationName({ BASE_URL }: Pick<Config, 'BASE_URL'>): string {
  const { hostname } = new URL(BASE_URL)
  return LOOPBACK.has(hostname) ? 'Tenantry' : hostname
}
