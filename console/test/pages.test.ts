/** Every page of the console in every context, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SERVER } from '../../server/src/http/authority.ts'
import { insertJob } from '../../server/src/jobs/background/queries.ts'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { pagesOf } from '../src/shell/navigation.ts'
import { newTenant, newUsers, readsOf, repeated, show, type Visit, violationsOf } from './visit.ts'

after(closeBrowser)

const pathsOf = (kind: 'platform' | 'system' | 'account') => pagesOf(kind).map(({ path }) => path)

test('no page breaks its policies, asks another origin, logs an error, reads twice, or has a fault that axe finds', async (t) => {
  const app = await startTestApp(t)
  const tenant = await newTenant(app)
  const users = await newUsers(app, tenant)
  const { system, userId, accountId, connectionId, webhook } = tenant
  const connection = `accounts/${accountId}/connections/${connectionId}`
  const one = [
    `users/${userId}`,
    `accounts/${accountId}`,
    `accounts/${accountId}?tab=serviceAccounts`,
    `accounts/${accountId}?tab=sso`,
    connection,
    `${connection}?tab=members`,
    `${connection}?tab=log`,
  ]
  await insertJob(app.db, {
    kind: 'end_sessions',
    systemId: system.id,
    target: { type: 'system', id: system.id },
    actor: SERVER,
    total: 2_000,
  })
  const ofSystem = [`systems/${system.id}`, `webhooks/${system.id}/${webhook.id}`]
  const pages: [Visit, string[]][] = [
    [users.platform, [...pathsOf('platform'), ...one, ...ofSystem, 'installation?tab=jobs']],
    [users.system, [...pathsOf('system'), ...one]],
    [users.account, [...pathsOf('account'), connection]],
    [users.viewer, ['', 'users', `users/${userId}`, `systems/${system.id}`]],
  ]

  const found = await Promise.all(
    pages.map(async ([visit, paths]) => {
      const violations: string[] = []
      const reads = readsOf(visit.page)
      for (const path of paths) {
        reads.length = 0
        await show(visit, app.url, path)
        if (!/^(live|installation.tab=jobs)/.test(path)) violations.push(...repeated(reads)) // they poll
        violations.push(...(await violationsOf(visit.page, 'light')))
        // the other contexts have the same parts
        if (visit === users.platform) violations.push(...(await violationsOf(visit.page, 'dark')))
      }
      return [...violations, ...visit.faults]
    }),
  )

  assert.deepEqual(found.flat(), [])
  await Promise.all(Object.values(users).map(({ context }) => context.close()))
})
