/** The upgrade of an embedded database: a copy of its folder, and then all migrations. */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startToEnd } from '../support/servers.ts'
import { createVersion } from '../support/versions.ts'

const STEPS = {
  '0001_expand_news': '-- Adds news.\ncreate table news (id int primary key, text text);',
  '0002_fill_news': '-- Fills.\n-- key: news.id\nupdate news set text = id where id between $1 and $2;',
  '0003_contract_news': '-- Removes.\nalter table news drop column text;',
  '0004_expand_index': '-- Adds an index.\ncreate index concurrently if not exists news_id on news (id);',
}

test('an embedded database is copied, then gets all migrations; the version before runs on the copy', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-embedded-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const run = (words: string, main?: string) =>
    startToEnd({ DATA_DIR: folder }, { args: words.split(' '), killAfter: 120_000, ...(main && { main }) })
  const files = () =>
    readdirSync(folder)
      .filter((name) => name.startsWith('database'))
      .sort()
  await run('keys rotate')
  const broken = next(t, { ...STEPS, '0005_expand_broken': '-- Fails.\ncreate table users ();' })
  const main = next(t, STEPS)

  const failed = await run('migrate', broken)
  const again = await run('migrate', broken)
  const whole = await run('migrate --json', main)
  const copies = files()
  const mode = statSync(join(folder, copies[1]!)).mode & 0o777
  const refused = await run('audit verify')
  rmSync(join(folder, 'database'), { recursive: true })
  cpSync(join(folder, copies[1]!), join(folder, 'database'), { recursive: true })
  const back = await run('migrate --plan --json')
  const repeated = await run('migrate --json', main)

  assert.match(failed.stderr, /^The migration 0005_expand_broken failed: [^\n]+\n$/)
  assert.equal(again.code, 1)
  assert.deepEqual(JSON.parse(whole.stdout), { applied: ['0002_fill_news', '0003_contract_news'] })
  assert.deepEqual(copies, ['database', 'database.before-0.2.0'])
  assert.equal(mode, 0o700, 'the files of an embedded database are open to every user of the machine')
  assert.match(refused.stderr, /^The database was upgraded by Tenantry 0\.2\.0/)
  assert.equal(back.code, 0, back.stderr)
  assert.equal(JSON.parse(repeated.stdout).applied.length, 4)
})

function next(t: TestContext, migrations: Record<string, string>): string {
  const { main, remove } = createVersion({ version: '0.2.0', migrations, releases: { '0.1.0': 0 } })
  t.after(remove)
  return main
}
