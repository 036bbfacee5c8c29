/** The export of a list of the console, in Chromium. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { sql } from '../../server/src/database/drizzle.ts'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { count, en } from '../src/texts/texts.ts'
import { openAs, show } from './visit.ts'

after(closeBrowser)

test('an export has each row that remains, although others are deleted while it is read', async (t) => {
  const app = await startTestApp(t)
  const mark = crypto.randomUUID()
  await app.db.execute(sql`insert into users (email, created_at)
    select n || '-' || ${mark}::text || '@example.test', now() - n * interval '1 second' from generate_series(1, 130) n`)
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  await show(visit, app.url, `users?search=${mark}`)
  let pages = 0
  await page.route('**/console/api/admin/users?*pageSize=100*', async (route) => {
    pages += 1
    // Rows of the first page, so that by their numbers the rows of the second one would be others.
    if (pages === 2)
      await app.db.execute(
        sql`delete from users where email like '%' || ${mark}::text || '%' and split_part(email, '-', 1)::int between 1 and 20`,
      )
    await route.continue()
  })

  await page.getByRole('button', { name: `${en.parts.more}: ` }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: count(en.parts.exportCsv, 130) }).click(),
  ])
  const [, ...rows] = readFileSync((await file.path())!, 'utf8')
    .trim()
    .split('\r\n')

  assert.equal(pages, 2)
  assert.deepEqual(
    rows.map((row) => Number(/(\d+)-[\da-f-]{36}@/.exec(row)?.[1])),
    Array.from({ length: 130 }, (_, n) => n + 1),
  )
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})
