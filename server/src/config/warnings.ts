/**
 * Settings that are valid and probably not meant. They are printed when a server has started, and by `check`;
 * they prevent nothing.
 */
import type { Config } from './config.ts'

/** Each one sentence or two: what is the case, and what to do. */
export function warningsOf(config: Config): string[] {
  return [...publicWarnings(config), ...metricsWarnings(config)]
}

/** Defaults that are for one machine. A public issuer always has a proxy, since the server has no TLS. */
function publicWarnings(config: Config): string[] {
  if (!isPublic(config)) return []
  const { TRUST_PROXY, MAIL_URL } = config
  const warnings: string[] = []
  if (TRUST_PROXY.length === 0)
    warnings.push(
      'TRUST_PROXY is not set: the address of every client is that of the proxy. All clients have one limit; behind a ' +
        'proxy on this machine they have none, so that passwords can be guessed from one place without end.',
    )
  if (MAIL_URL === undefined)
    warnings.push(
      'MAIL_URL is not set: emails are files in DATA_DIR/outbox, and no user receives one. They contain links with which ' +
        'whoever reads them enters accounts.',
    )
  for (const name of ALLOWING)
    if (config[name])
      warnings.push(
        `${name} is true: the server calls addresses of its own network for whoever sets up a ${ALLOWED[name]}. ` +
          'Set it only if all of them may call your network.',
      )
  return warnings
}

const ALLOWED = {
  CONNECTIONS_ALLOW_PRIVATE: 'connection',
  WEBHOOK_ALLOW_PRIVATE: 'webhook',
} as const
const ALLOWING = Object.keys(ALLOWED) as (keyof typeof ALLOWED)[]

/** Whether people elsewhere reach the issuer: http is possible on the machine itself only. */
export const isPublic = ({ BASE_URL }: Pick<Config, 'BASE_URL'>): boolean => BASE_URL.startsWith('https:')

function metricsWarnings(config: Config): string[] {
  const { METRICS_ENABLED, METRICS_TOKEN, METRICS_PORT, METRICS_SYSTEMS } = config
  if (METRICS_ENABLED)
    return METRICS_TOKEN === undefined && METRICS_PORT === 0 && isPublic(config)
      ? [
          'METRICS_ENABLED: everybody who reaches the server reads /metrics. Set METRICS_TOKEN or METRICS_PORT.',
        ]
      : []
  const given = Object.entries({
    METRICS_TOKEN: METRICS_TOKEN !== undefined,
    METRICS_PORT: METRICS_PORT > 0,
    METRICS_SYSTEMS: METRICS_SYSTEMS.length > 0,
  }).filter(([, isGiven]) => isGiven)
  return given.map(([name]) => `${name} has no effect: /metrics exists only if METRICS_ENABLED is true.`)
}
