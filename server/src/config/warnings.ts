/**
 * Settings that are valid and probably not meant. They are printed when a server has started, and by `check`;
 * they prevent nothing.
 */
import type { Config } from './config.ts'

/** Each one sentence or two: what is the case, and what to do. */
export function warningsOf(config: Config): string[] {
  return metricsWarnings(config)
}

export const isPublic = ({ BASE_URL }: Config): boolean => BASE_URL.startsWith('https:')

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
