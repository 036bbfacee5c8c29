/** What each party does to one user, through HTTP, with the model kept beside it (scopes-model.ts). */
import assert from 'node:assert/strict'
import { appCode, begin as beginSignIn, secretOn, sendTo, stepOf } from './factors.ts'
import { type AdminClient, expectStatus } from './http.ts'
import { begin, follow, JSON_ONLY } from './registration.ts'
import {
  add,
  blank,
  entersBy,
  forgetUser,
  keyOf,
  markOf,
  move,
  PLACES,
  type Place,
  passwordByMail,
  passwordOf,
  phoneOf,
  readIn,
  readsFormerAddress,
  remainsWithout,
  remove,
} from './scopes-model.ts'
import { enter, enterAccount, newVisitor, type Run } from './scopes-world.ts'
import { codeFields } from './testing.ts'

const isOk = ({ status }: { status: number }) => status >= 200 && status < 300

/** Asserts that a system's request answers 404 exactly if the user is not one of the system. */
function demandReach({ model }: Run, at: Place, answer: { status: number; body: unknown }): boolean {
  const what = JSON.stringify([answer.status, answer.body])
  assert.equal(answer.status === 404, model.stated[at] === undefined, what)
  assert.ok(answer.status < 500, what)
  return isOk(answer)
}

/** Asks a service about the user; `nobody` if there is none. */
export const pathOf = ({ model }: Run) => `/admin/users/${model.id ?? crypto.randomUUID()}`

export async function setPassword(
  run: Run,
  at: Place,
  { mustChange = false, by = run[at].service }: { mustChange?: boolean; by?: AdminClient } = {},
): Promise<void> {
  const { model } = run
  const password = passwordOf(model, at)
  const body = { password, mustChangePassword: mustChange }
  const answer = await by.post(`${pathOf(run)}/set-password`, body)
  if (demandReach(run, at, answer)) Object.assign(model.stated[at]!, { password, mustChange })
}

export async function patch(run: Run, at: Place, stated: object, by = run[at].service): Promise<void> {
  const answer = await by.patch(pathOf(run), stated)
  if (demandReach(run, at, answer)) Object.assign(run.model.stated[at]!, stated)
}

/** The user's memberships in a system, after the owner has registered: whoever joined with it has entered. */
export async function readMemberships({ model, ...world }: Run, at: Place): Promise<void> {
  const { body } = await world[at].service.get(`/admin/memberships?userId=${model.id}`)
  const wasMember = model.memberships[at].size > 0
  model.memberships[at] = new Map(
    body.data.map(({ id, status, accountId }: Record<string, string>) => [id, { status, accountId }]),
  )
  if (body.data.length === 0) return
  const stated = add(model, at)
  if (!wasMember) stated.entered = true
}

/** A change of one of the memberships, if there is one. */
async function changeMembership(run: Run, at: Place, by: 'service' | 'admin', to: string): Promise<void> {
  const { model } = run
  const client = run[at][by]
  const [id] = [...model.memberships[at]].findLast(([, { status }]) => status !== to) ?? []
  if (!id) return
  const path = `/admin/memberships/${id}`
  const answer = to === 'deleted' ? await client.delete(path) : await client.patch(path, { status: to })
  assert.ok(answer.status < 500)
  if (!isOk(answer)) return
  if (to === 'deleted') model.memberships[at].delete(id)
  else model.memberships[at].get(id)!.status = to
}

async function addMember(run: Run, at: Place, by: AdminClient, accountId: string): Promise<void> {
  const { model } = run
  if (!model.id) return
  const answer = await by.post('/admin/memberships', { userId: model.id, accountId })
  assert.ok([201, 404, 409, 403].includes(answer.status), JSON.stringify(answer.body))
  if (by === run[at].admin && model.memberships[at].size === 0) assert.equal(answer.status, 404)
  if (!isOk(answer)) return
  add(model, at)
  model.memberships[at].set(answer.body.id, { status: answer.body.status, accountId })
}

const LINKS = { reset: '/reset-password', verify: '/verify-email', register: '/confirm-registration' }

const newestToken = (emails: { text: string }[], kind: keyof typeof LINKS): string | undefined =>
  emails
    .flatMap(({ text }) => text.split(`${LINKS[kind]}?token=`).slice(1))
    .at(-1)
    ?.slice(0, 43)

/** Opens the newest emailed link of a kind; undefined if there is none, or the user is disabled. */
async function openLink({ app, model }: Run, kind: keyof typeof LINKS, fields: Record<string, string>) {
  const emails = await app.emailsTo(model.email)
  const spent = kind === 'register' ? 0 : model.spent[kind]
  const token = newestToken(emails.slice(spent), kind)
  if (token === undefined) return undefined
  const answer = await newVisitor(app).post(LINKS[kind], { token, ...fields }, JSON_ONLY)
  if (kind === 'register') return answer
  const { disabled } = model.global
  assert.equal(answer.status, disabled ? 410 : 200, `the ${kind} link: ${JSON.stringify(answer.body)}`)
  return disabled ? undefined : answer
}

/** The links of a user are invalid after some acts of the platform and the user. */
export async function spend({ app, model }: Run, ...kinds: ('reset' | 'verify')[]): Promise<void> {
  const { length } = await app.emailsTo(model.email)
  for (const kind of kinds) model.spent[kind] = length
}

export type Act = {
  by: 'system' | 'admin' | 'visitor' | 'platform' | 'owner'
  run: (run: Run, at: Place) => Promise<void>
}

export const system = (run: Act['run']): Act => ({ by: 'system', run })
export const admin = (run: Act['run']): Act => ({ by: 'admin', run })
export const visitor = (run: Act['run']): Act => ({ by: 'visitor', run })
export const platform = (run: Act['run']): Act => ({ by: 'platform', run })
export const owner = (run: Act['run']): Act => ({ by: 'owner', run })

const ofSystem: Record<string, Act> = {
  create: system(async (run, at) => {
    const { model } = run
    const [password, name] = [passwordOf(model, at), markOf(model, at, true)]
    const stated = { name, emailVerified: true, metadata: { note: markOf(model, at, false) } }
    const { email, id } = model
    const answer = await run[at].service.post('/admin/users', { email, password, ...stated })
    assert.equal(answer.status, id ? 409 : 201)
    if (id) assert.equal(answer.body.userId, readsFormerAddress(model, at) ? undefined : id)
    else Object.assign(model, { id: answer.body.id }).stated[at] = { ...blank(), ...stated, password }
  }),
  import: system(async (run, at) => {
    const { model } = run
    const { password, hash } = run[at].imported
    const line = JSON.stringify({ email: model.email, passwordHash: hash, emailVerified: true })
    const type = { 'content-type': 'application/x-ndjson' }
    const { body } = await run[at].service.post('/admin/users/import', line, type)
    const { id } = JSON.parse(String(typeof body === 'string' ? body : JSON.stringify(body)))
    model.passwords.push({ by: at, password })
    assert.equal(id !== undefined, model.id === undefined)
    if (id) Object.assign(model, { id }).stated[at] = { ...blank(), emailVerified: true, password }
  }),
  setPassword: system((run, at) => setPassword(run, at)),
  setTemporary: system((run, at) => setPassword(run, at, { mustChange: true })),
  resetPassword: system(async (run, at) => {
    const answer = await run[at].service.post(`${pathOf(run)}/reset-password`)
    if (!demandReach(run, at, answer)) return
    const password = answer.body.temporaryPassword
    run.model.passwords.push({ by: at, password })
    Object.assign(run.model.stated[at]!, { password, mustChange: true })
  }),
  patchName: system((run, at) => patch(run, at, { name: markOf(run.model, at, true) })),
  clearName: system((run, at) => patch(run, at, { name: null })),
  patchPhone: system(async (run, at) => {
    const phone = phoneOf(true)
    const answer = await run[at].service.patch(pathOf(run), phone)
    if (demandReach(run, at, answer)) run.model.stated[at]!.phone = phone
  }),
  patchMetadata: system((run, at) => patch(run, at, { metadata: { note: markOf(run.model, at, false) } })),
  patchVerified: system((run, at) => patch(run, at, { emailVerified: true })),
  patchUnverified: system((run, at) => patch(run, at, { emailVerified: false })),
  disable: system((run, at) => patch(run, at, { disabled: true })),
  enable: system((run, at) => patch(run, at, { disabled: false })),
  patchEmail: system(async (run, at) => {
    const answer = await run[at].service.patch(pathOf(run), { email: `${crypto.randomUUID()}@x.test` })
    assert.equal(answer.status, run.model.stated[at] ? 403 : 404)
  }),
  disableMfa: system(async (run, at) => {
    const answer = await run[at].service.post(`${pathOf(run)}/disable-mfa`)
    if (!demandReach(run, at, answer)) return
    Object.assign(run.model.stated[at]!, { refusesFactor: true, codes: undefined })
  }),
  unlink: system(async (run, at) => {
    demandReach(run, at, await run[at].service.delete(`${pathOf(run)}/social/google`))
  }),
  endSessions: system(async (run, at) => {
    const id = run.model.id ?? crypto.randomUUID()
    demandReach(run, at, await run[at].service.delete(`/admin/sessions/by-user/${id}`))
  }),
  sendReset: system(async (run, at) => {
    demandReach(run, at, await run[at].service.post(`${pathOf(run)}/send-password-reset`))
  }),
  sendVerification: system(async (run, at) => {
    const answer = await run[at].service.post(`${pathOf(run)}/resend-verification`)
    const isSent = demandReach(run, at, answer)
    if (isSent) assert.equal(readIn(run.model, at)?.emailVerified, false)
  }),
  remove: system(async (run, at) => {
    const { model, app } = run
    if (!demandReach(run, at, await run[at].service.delete(pathOf(run)))) return
    const remains = (await app.platform.get(pathOf(run))).status === 200
    assert.ok(remains || !remainsWithout(model, at), 'the user is deleted elsewhere')
    remove(model, at)
    if (!remains) {
      forgetUser(model)
      await spend(run, 'reset', 'verify')
    }
  }),
  add: system((run, at) => addMember(run, at, run[at].service, run[at].accounts[1])),
  addToManaged: system((run, at) => addMember(run, at, run[at].service, run[at].accounts[0])),
  block: system((run, at) => changeMembership(run, at, 'service', 'blocked')),
  activate: system((run, at) => changeMembership(run, at, 'service', 'active')),
  leave: system((run, at) => changeMembership(run, at, 'service', 'deleted')),
}

const ofAdmin: Record<string, Act> = {
  adminAdds: admin((run, at) => addMember(run, at, run[at].admin, run[at].accounts[0])),
  adminBlocks: admin((run, at) => changeMembership(run, at, 'admin', 'blocked')),
  adminActivates: admin((run, at) => changeMembership(run, at, 'admin', 'active')),
  adminRemoves: admin((run, at) => changeMembership(run, at, 'admin', 'deleted')),
  adminEndsSessions: admin(async (run, at) => {
    const id = run.model.id ?? crypto.randomUUID()
    assert.ok((await run[at].admin.delete(`/admin/sessions/by-user/${id}`)).status < 500)
  }),
}

const ofVisitor: Record<string, Act> = {
  register: visitor(async (run, at) => {
    const { app, model } = run
    const browser = newVisitor(app)
    const form = await follow(browser, await begin(browser, run[at].system), 'register')
    const [password, accountName] = [passwordOf(model, 'visitor'), 'Initech']
    const page = await browser.submit(form, { email: model.email, password, accountName })
    assert.equal(page.status, 200, String(page.body))
  }),
  forgotPassword: visitor(async (run, at) => {
    const browser = newVisitor(run.app)
    const form = await follow(browser, await begin(browser, run[at].system), 'forgot-password')
    const page = await browser.submit(form, { email: run.model.email })
    assert.equal(page.status, 200, String(page.body))
  }),
}

/** The platform changes the global values of a user. */
async function patchGlobally(run: Run, stated: object): Promise<void> {
  if (!run.model.id) return
  expectStatus(await run.app.platform.patch(pathOf(run), stated), 200)
  Object.assign(run.model.global, stated)
}

const ofPlatform: Record<string, Act> = {
  platformCreates: platform(async (run) => {
    const { app, model } = run
    const name = markOf(model, 'global', true)
    const metadata = { note: markOf(model, 'global', false) }
    const answer = await app.platform.post('/admin/users', { email: model.email, name, metadata })
    assert.equal(answer.status, model.id ? 409 : 201)
    if (model.id) return
    model.id = answer.body.id
    Object.assign(model.global, { name, metadata })
  }),
  platformSetsPassword: platform(async (run) => {
    const { app, model } = run
    if (!model.id) return
    const password = passwordOf(model, 'platform')
    expectStatus(await app.platform.post(`${pathOf(run)}/set-password`, { password }), 200)
    model.global.password = password
    delete model.global.unconfirmed.password
    await spend(run, 'reset', 'verify')
  }),
  /** A hash whose password a system knows. */
  platformImports: platform(async (run, at) => {
    const { app, model } = run
    const { password, hash } = run[at].imported
    const answer = await app.platform.post('/admin/users', { email: model.email, passwordHash: hash })
    assert.equal(answer.status, model.id ? 409 : 201)
    if (model.id) return
    model.id = answer.body.id
    Object.assign(model.global, { password, unconfirmed: { password: null } })
  }),
  platformMoves: platform(async (run) => {
    const { model } = run
    if (!model.id) return
    const email = `${crypto.randomUUID()}@x.test`
    expectStatus(await run.app.platform.patch(pathOf(run), { email }), 200)
    const { unconfirmed, password, codes } = model.global
    if (password !== undefined && !('password' in unconfirmed)) unconfirmed.password = model.email
    if (codes && !('codes' in unconfirmed)) unconfirmed.codes = model.email
    move(model, email)
    model.global.emailVerified = false
  }),
  platformPatchesName: platform((run) => patchGlobally(run, { name: markOf(run.model, 'global', true) })),
  platformPatchesPhone: platform(async (run) => {
    if (!run.model.id) return
    const phone = phoneOf(false)
    const { phoneNumber } = phone
    expectStatus(await run.app.platform.patch(pathOf(run), { phoneNumber }), 200)
    run.model.global.phone = phone
  }),
  platformPatchesMetadata: platform((run) =>
    patchGlobally(run, { metadata: { note: markOf(run.model, 'global', false) } }),
  ),
  platformVerifies: platform((run) => patchGlobally(run, { emailVerified: true })),
  platformDisables: platform(async (run) => {
    await patchGlobally(run, { disabled: true })
    await spend(run, 'reset', 'verify')
  }),
  platformDisablesMfa: platform(async (run) => {
    if (!run.model.id) return
    expectStatus(await run.app.platform.post(`${pathOf(run)}/disable-mfa`), 200)
    run.model.global.codes = undefined
    delete run.model.global.unconfirmed.codes
  }),
  platformEnables: platform((run) => patchGlobally(run, { disabled: false })),
  platformAdds: platform(async (run, at) => {
    if (run.model.id) await addMember(run, at, run.app.platform, run[at].accounts[1])
  }),
}

const ofOwner: Record<string, Act> = {
  signIn: owner(async (run, at) => {
    const { model } = run
    const { password } = model.global
    if (password === undefined) return
    const { back, pkce } = await enter(run, at, password)
    const opens = keyOf(model, at) === password
    assert.equal(back.code !== undefined, opens, 'whether the global password opens the system')
    if (!opens) return
    const { system: client } = run[at]
    const { body } = await run.app.token(client, codeFields(client, { back, pkce }))
    model.stated[at]!.entered = true
    model.live[at] = body.access_token
  }),
  openResetLink: owner(async (run) => {
    const password = passwordOf(run.model, 'owner')
    if (!(await openLink(run, 'reset', { password }))) return
    passwordByMail(run.model, password)
    await spend(run, 'reset', 'verify')
  }),
  openVerificationLink: owner(async (run) => {
    if (!(await openLink(run, 'verify', {}))) return
    run.model.global.emailVerified = true
    await spend(run, 'verify')
  }),
  openRegistrationLink: owner(async (run) => {
    const { app, model } = run
    const password = passwordOf(model, 'owner')
    const answer = await openLink(run, 'register', { password })
    if (answer?.body.step !== 'user_created') return
    assert.equal(model.global.password, undefined, 'a registration replaces no password')
    model.id ??= (await app.platform.get(`/admin/users?email=${model.email}`)).body.data[0].id
    passwordByMail(model, password)
    for (const at of PLACES) await readMemberships(run, at)
    await spend(run, 'reset', 'verify')
  }),
  enroll: owner(async (run) => {
    const { model } = run
    const { password, disabled, codes } = model.global
    if (password === undefined || disabled || codes) return
    const { visitor } = await enterAccount(run, password)
    const page = await visitor.get('/account/security')
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(String(page.body)) ?? []
    const code = appCode(secretOn(page))
    const shown = await visitor.post('/account/security/app', { csrf, code })
    const found = String(shown.body).matchAll(/<li><code>([A-Z2-7-]+)</g)
    model.global.codes = [...found].map(([, each]) => each!)
    assert.equal(model.global.codes.length, 10, String(shown.body))
    for (const at of PLACES) Object.assign(model.stated[at] ?? {}, { refusesFactor: false })
  }),
  changePassword: owner(async (run) => {
    const { model } = run
    const { password: current } = model.global
    if (current === undefined || model.global.disabled) return
    const { visitor: browser } = await enterAccount(run, current)
    const password = passwordOf(model, 'owner')
    const form = await browser.get('/account/password')
    const fields = { current, password, passwordAgain: password }
    assert.equal((await browser.submit(form, fields)).status, 303, 'a new password at /account')
    model.global.password = password
    delete model.global.unconfirmed.password
    await spend(run, 'reset', 'verify')
  }),
  /** Whoever has the temporary password of a system. */
  changeTemporary: owner(async (run, at) => {
    const { app, model } = run
    const mine = model.stated[at]
    if (!mine?.mustChange || !entersBy(model, at)) return
    const browser = newVisitor(app)
    const login = await beginSignIn(browser, run[at].system)
    const { email } = model
    const page = await browser.follow(await browser.submit(login, { email, password: mine.password! }))
    assert.equal(stepOf(page), 'change-password')
    const password = passwordOf(model, at)
    await sendTo(browser, page, 'change-password', { password })
    Object.assign(mine, { password, mustChange: false })
  }),
}

export const ACTS: Record<string, Act> = { ...ofSystem, ...ofAdmin, ...ofVisitor, ...ofPlatform, ...ofOwner }
