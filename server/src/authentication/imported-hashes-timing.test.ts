/** Response times of wrong passwords where hashes of other services are stored. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hash } from '@node-rs/argon2'
import { assertSameDistribution } from '../../test/support/response-times.ts'
import { authUrl, type Driver, newPkce, serviceToken, startTestApp } from '../../test/support/testing.ts'

const mail = () => `${crypto.randomUUID()}@x.test`
const [SALT, HASH] = ['c29tZXNhbHQ', 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc']
const bcrypt = (cost: number) => `$2a$${cost}$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW`

/** The most expensive of each family that a system may import, and what costs one step more. */
const OF_SYSTEM: Record<string, [string, string]> = {
  argon2: [
    `$argon2id$v=19$m=131072,t=2,p=1$${SALT}$${HASH}`,
    `$argon2id$v=19$m=131072,t=3,p=1$${SALT}$${HASH}`,
  ],
  bcrypt: [bcrypt(12), bcrypt(13)],
  scrypt: [`$scrypt$ln=16,r=8,p=1$${SALT}$${HASH}`, `$scrypt$ln=16,r=8,p=2$${SALT}$${HASH}`],
  pbkdf2: [`$pbkdf2-sha256$1000000$${SALT}$${HASH}`, `$pbkdf2-sha256$1000001$${SALT}$${HASH}`],
}
const MORE_MEMORY = `$argon2id$v=19$m=131073,t=1,p=1$${SALT}$${HASH}`
const MORE_SHA512 = `$pbkdf2-sha512$500001$${SALT}$${HASH}`

/** Both are one text for a reader; the second one is not NFC. */
const FORMS = { NFC: 'wrong passw\u00e9rd', NFD: 'wrong passwe\u0301rd' }
type Form = keyof typeof FORMS

/** A system with an open page of its sign-in. */
async function newDoor(app: Driver) {
  const system = await app.newSystem({ skipConsent: true, allowClientCredentials: true })
  const owner = await app.serviceOf(system as Parameters<Driver['serviceOf']>[0])
  const browser = app.newBrowser()
  const page = await browser.follow(await browser.get(authUrl(system, newPkce().challenge)))
  const refuse = async (email: string, form: Form) => {
    assert.equal((await browser.submit(page, { email, password: FORMS[form] })).status, 401)
  }
  return { system, owner, refuse }
}

test('a system imports hashes of at most 300 ms and 128 MiB, the platform of about a second', async (t) => {
  const app = await startTestApp(t)
  const { system, owner } = await newDoor(app)
  const most = Object.values(OF_SYSTEM).map(([hash]) => hash)
  const more = [...Object.values(OF_SYSTEM).map(([, hash]) => hash), MORE_MEMORY, MORE_SHA512]
  const answers = async (caller: typeof owner, hashes: string[]) => {
    const statuses = []
    for (const passwordHash of hashes) {
      const { status, body } = await caller.post('/admin/users', { email: mail(), passwordHash })
      statuses.push(status === 400 ? body.errors[0].path : status)
    }
    return statuses
  }
  const token = await serviceToken(app.url, system.clientId, system.clientSecret)
  const imported = await fetch(`${app.url}/admin/users/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body: more.map((passwordHash) => JSON.stringify({ email: mail(), passwordHash })).join('\n'),
  })
  const lines = (await imported.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

  assert.deepEqual(
    await answers(owner, most),
    most.map(() => 201),
  )
  assert.deepEqual(
    await answers(owner, more),
    more.map(() => '/passwordHash'),
  )
  assert.deepEqual(
    await answers(app.platform, more),
    more.map(() => 201),
  )
  assert.deepEqual(
    lines.map(({ errors }) => errors?.[0]?.path),
    more.map(() => '/passwordHash'),
  )
})

test('what a system imports slows wrong passwords of that system only', async (t) => {
  const app = await startTestApp(t)
  const [here, elsewhere] = [await newDoor(app), await newDoor(app)]
  const email = mail()
  assert.equal((await here.owner.post('/admin/users', { email, passwordHash: bcrypt(12) })).status, 201)
  await here.refuse(email, 'NFC')
  const quickest = async (door: typeof here) => {
    const times = []
    for (let round = 0; round < 3; round++) {
      const begun = performance.now()
      await door.refuse(mail(), 'NFC')
      times.push(performance.now() - begun)
    }
    return Math.min(...times)
  }
  const times = { here: await quickest(here), elsewhere: await quickest(elsewhere) }

  assert.ok(times.elsewhere < times.here / 2, JSON.stringify(times))
})

test('P06: no time of a wrong password tells which hash is stored, in either form of the text', async (t) => {
  const app = await startTestApp(t, { TRUST_PROXY: '127.0.0.1,::1' })
  const { system, owner, refuse } = await newDoor(app)
  const own = async () => {
    const { id, email } = await app.newUser()
    await app.newMembership({ userId: id, systemId: system.id })
    return email
  }
  const kinds: Record<string, () => Promise<string>> = { unknown: async () => mail(), own }
  for (const [family, [passwordHash]] of Object.entries(OF_SYSTEM))
    kinds[family] = async () => {
      const made = await owner.post('/admin/users', { email: mail(), passwordHash })
      assert.equal(made.status, 201)
      return made.body.email
    }
  const failing = (form: Form) =>
    Object.entries(kinds).map(([kind, create]): [string, () => Promise<() => Promise<void>>] => [
      kind,
      async () => {
        const email = await create()
        return () => refuse(email, form)
      },
    ])
  for (const [, prepare] of failing('NFC')) await (await prepare())() // the first of each family is learned from

  for (const form of ['NFC', 'NFD'] as const)
    await assertSameDistribution(t, Object.fromEntries(failing(form)), { rounds: 3 })
})

test('an imported hash with the parameters of this server is compared with the text as typed', async (t) => {
  const app = await startTestApp(t)
  const { system, owner } = await newDoor(app)
  const passwordHash = await hash(FORMS.NFD, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
  const user = (await owner.post('/admin/users', { email: mail(), passwordHash })).body
  await app.newMembership({ userId: user.id, systemId: system.id })

  const typed = await app.authorize(system, { email: user.email, password: FORMS.NFD })
  const composed = await app.authorize(system, { email: user.email, password: FORMS.NFC })

  assert.ok(typed.back.code)
  assert.ok(composed.back.code)
})
