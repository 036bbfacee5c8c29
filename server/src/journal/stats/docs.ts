import { docsOf } from '../../http/docs.ts'

export const DOCS = docsOf('stats', {
  getSeries: {
    summary: 'Get a metric over time',
    description: `Returns a metric by hour or day, for charts: \`times\` are the starts of the buckets in UTC, in seconds
      since 1970, and each series has one value for each of them. At most 744 hours or 400 days; hours are kept for
      RETENTION_STATS_HOURS_DAYS, days for RETENTION_STATS_DAYS. By default from 24 hours, or 30 days, ago.

      \`sign_ins\`: sign-ins with a password, a passkey or another identity provider. \`failures\`: those that were refused,
      by reason: because of a credential, or by a rule of the system. \`tokens\`: responses of the token endpoint, by
      grant. \`deliveries\`: attempts to call a webhook, by class of the response. \`emails\`: by outcome; \`left_out\`:
      notifications that a limit does not allow. \`active_users\`: users who were active in the 1, 7 or 30 days up to the
      end of a day, which are counted when it is over. The numbers are written every ten seconds; a process that is killed
      loses those of up to ten seconds.

      A service token receives the numbers of its system. \`by=system\` requires platform authority, and returns the 20
      systems with the greatest numbers.`,
    success: 'The series.',
    response: {
      metric: 'failures' as const,
      step: 'hour' as const,
      times: [1_772_442_000, 1_772_445_600],
      until: '2026-03-02T11:00:00.000Z',
      series: [
        { key: 'password', values: [3, 0] },
        { key: 'throttled', values: [0, 1] },
      ],
    },
  },
  getSummary: {
    summary: 'Get the present numbers',
    description: `Returns the numbers of a start page: of the last 24 hours and the same hours a week before, of users who
      were active, of active sessions and of what needs attention. A service token receives the numbers of its system, the
      admin of an account those of the account. Up to 30 seconds old; sessions, memberships and webhooks are counted up to
      10,000.`,
    success: 'The numbers.',
    response: {
      scope: 'platform' as const,
      signIns: { day: 1204, weekBefore: 1180 },
      failures: { day: 31, weekBefore: 28 },
      tokens: { day: 20_411, weekBefore: 19_998 },
      failuresByReason: [{ key: 'password', count: 29 }],
      activeUsers: { today: 402, days30: 2911 },
      activeSessions: 640,
      pendingMemberships: 2,
      failingWebhooks: 0,
    },
  },
})
