/** Responses when the database fails during a sign-in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Answer,
  authUrl,
  newPkce,
  PASSWORD,
  startTestApp,
  type TestBrowser,
} from '../../test/support/testing.ts'
import { sql } from '../database/drizzle.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** Runs `ask` while inserts of matching rows into a table fail. */
async function withoutRoom(
  { db }: App,
  table: string,
  matching: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  await db.execute(sql`create function no_room() returns trigger language plpgsql as $$
    begin raise exception 'no space' using errcode = '53100'; end $$`)
  try {
    await db.execute(
      sql.raw(
        `create trigger no_room before insert on ${table} for each row when (${matching}) execute function no_room()`,
      ),
    )
    return await ask()
  } finally {
    await db.execute(sql`drop function no_room() cascade`)
  }
}

const start = async (browser: TestBrowser, system: Parameters<App['signIn']>[0]) =>
  browser.follow(await browser.get(authUrl(system, newPkce().challenge)))

/** The steps of a sign-in that set a cookie: how to reach them, the rows they write, and the cookie. */
const STEPS = {
  'the start at a system': async (app: App) => {
    const { system } = await app.newMember()
    const browser = app.newBrowser()
    const ask = () => browser.get(authUrl(system, newPkce().challenge))
    return {
      table: 'artifacts',
      matching: `new.payload -> 'params' ->> 'client_id' = '${system.clientId}'`,
      ask,
      sets: '_interaction',
    }
  },
  'the password': async (app: App) => {
    const { system, user } = await app.newMember()
    const browser = app.newBrowser()
    const page = await start(browser, system)
    const ask = () => browser.submit(page, { email: user.email, password: PASSWORD })
    return {
      table: 'audit',
      matching: `new.actor_id = '${user.id}' and new.action = 'user.login'`,
      ask,
      sets: '_known',
    }
  },
  'what follows on the password': async (app: App) => {
    const { system, user } = await app.newMember()
    const browser = app.newBrowser()
    const given = await browser.submit(await start(browser, system), {
      email: user.email,
      password: PASSWORD,
    })
    const ask = () => browser.get(given.headers.get('location')!)
    return {
      table: 'artifacts',
      matching: `new.model = 'Session' and new.user_id = '${user.id}'`,
      ask,
      sets: '_session',
    }
  },
} as const

for (const [step, reach] of Object.entries(STEPS))
  test(`a step that could not be stored sets no cookie and can be repeated: ${step}`, async (t) => {
    const app = await startTestApp(t)
    const { table, matching, ask, sets } = await reach(app)

    const refused = await withoutRoom(app, table, matching, ask)
    const done = await ask()

    assert.deepEqual([refused.status, refused.headers.getSetCookie()], [503, []])
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    assert.equal(done.status, 303)
    assert.ok(
      done.headers.getSetCookie().some((cookie) => cookie.startsWith(`${sets}=`)),
      String(done.headers.getSetCookie()),
    )
  })
