import type { Config } from './config.ts'
import { LOOPBACK } from './setting.ts'

export type NamedInstallation = Pick<Config, 'BASE_URL'> & Partial<Pick<Config, 'INSTALLATION_NAME'>>

/** The name on pages without an application: by default the host, except on the machine of a developer. */
export function installationName({ BASE_URL, INSTALLATION_NAME }: NamedInstallation): string {
  if (INSTALLATION_NAME !== undefined) return INSTALLATION_NAME
  const { hostname } = new URL(BASE_URL)
  return LOOPBACK.has(hostname) ? 'Tenantry' : hostname
}
