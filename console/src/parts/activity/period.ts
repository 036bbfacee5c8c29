/** The period of the charts of a page. */

/** In days, up to now. */
export const PERIODS = [7, 30, 90] as const
/** 1 hour and 1 day, in ms. */
export const HOUR = 3_600_000
export const DAY = 86_400_000

export type Period = { days: number; step: 'hour' | 'day'; from: string }

/** The start of the present hour or day, in UTC. */
export const startOf = (length: number): number => Math.floor(Date.now() / length) * length

/** `days`: what the address says. By hour if it is a week. */
export function periodOf(days: unknown): Period {
  const chosen = PERIODS.find((each) => each === days) ?? PERIODS[0]
  const step = chosen > 7 ? 'day' : 'hour'
  const now = startOf(step === 'day' ? DAY : HOUR)
  return { days: chosen, step, from: new Date(now - chosen * DAY).toISOString() }
}

/** What the charts of a page read. */
export function seriesOf({ days, step, from }: Period, systemId?: string) {
  const counted = { step, from, ...(systemId && { systemId }) }
  const today = startOf(DAY)
  const whole = { from: new Date(today - days * DAY).toISOString(), to: new Date(today).toISOString() }
  return {
    signIns: { query: { ...counted, metric: 'sign_ins' } },
    failures: { query: { ...counted, metric: 'failures' } },
    activeUsers: { query: { metric: 'active_users', step: 'day', ...whole } },
  } as const
}
