/**
 * More acts of the interleavings of scopes-acts.ts: through the console, the pages of an organization, the
 * page of an invitation, a sign-in with the password of a system, and the user's own pages.
 */
import assert from 'node:assert/strict'
import { consoleClient, signInToConsole } from './console.ts'
import { appCode, recoveryCodesOn, secretOn, sendTo, stepOf } from './factors.ts'
import { type AdminClient, expectStatus } from './http.ts'
import { invitationLinkTo } from './invitations.ts'
import { visitorOf } from './organizations.ts'
import { JSON_ONLY } from './registration.ts'
import {
  type Act,
  admin,
  owner,
  patch,
  pathOf,
  platform,
  readMemberships,
  setPassword,
  spend,
  system,
} from './scopes-acts.ts'
import {
  asksFactor,
  blank,
  claimsIn,
  entersBy,
  forgetUser,
  markOf,
  move,
  PLACES,
  type Place,
  passwordByMail,
  passwordOf,
} from './scopes-model.ts'
import { enterAccount, finish, newVisitor, type Run } from './scopes-world.ts'
import { authUrl, newPkce } from './testing.ts'

const AAL2 = 'urn:tenantry:aal2'

/** A newly signed-in operator of a system: some changes require a recent sign-in. */
async function operatorOf({ app, ...world }: Run, at: Place): Promise<AdminClient> {
  const { people, system: operated } = world[at]
  const browser = newVisitor(app)
  await signInToConsole(browser, people.operator)
  return consoleClient(app.url, browser, people.operator, `system:${operated.id}`)
}

const ofSystem: Record<string, Act> = {
  operatorSetsPassword: system(async (run, at) => setPassword(run, at, { by: await operatorOf(run, at) })),
  operatorPatchesName: system(async (run, at) =>
    patch(run, at, { name: markOf(run.model, at, true) }, await operatorOf(run, at)),
  ),
  operatorVerifies: system(async (run, at) =>
    patch(run, at, { emailVerified: true }, await operatorOf(run, at)),
  ),
  /** Whoever has the password of a system enrolls a factor with it. */
  enrollInSystem: system(async (run, at) => {
    const { app, model } = run
    const mine = model.stated[at]
    const { email } = model
    if (mine?.password === undefined || mine.mustChange || !entersBy(model, at)) return
    if (asksFactor(model, at)) return
    const browser = newVisitor(app)
    const url = authUrl(run[at].system, newPkce().challenge, { acr_values: AAL2 })
    const login = await browser.follow(await browser.get(url))
    const page = await browser.follow(await browser.submit(login, { email, password: mine.password }))
    assert.equal(stepOf(page), 'enrol', String(page.body).slice(0, 400))
    const added = await sendTo(browser, page, 'enrol', { code: appCode(secretOn(page)) })
    mine.codes = recoveryCodesOn(added)
    assert.equal(mine.codes.length, 10, String(added.body))
  }),
  /** The link of an invitation that was returned to the system gives it nothing. */
  invitesItself: system(async (run, at) => {
    const { app, model } = run
    const { service, accounts } = run[at]
    const invited = { email: model.email, notify: false }
    const answer = await service.post(`/admin/accounts/${accounts[0]}/invitations`, invited)
    assert.ok([201, 409].includes(answer.status), JSON.stringify(answer.body))
    if (answer.status === 409) return
    const token = new URL(answer.body.url).searchParams.get('token')!
    const sent = { token, decision: 'register', password: passwordOf(model, at) }
    const opened = await newVisitor(app).post('/invitation', sent, JSON_ONLY)
    assert.equal(opened.body.step, 'confirm')
  }),
}

const ofAdmin: Record<string, Act> = {
  adminInvites: admin(async (run, at) => {
    const { admin: by, accounts } = run[at]
    const path = `/admin/accounts/${accounts[0]}/invitations`
    const answer = await by.post(path, { email: run.model.email })
    assert.ok([201, 409].includes(answer.status), JSON.stringify(answer.body))
  }),
  adminUsesPages: admin(async (run, at) => {
    const { accounts, people } = run[at]
    const { open, send } = await visitorOf(run.app, { accountId: accounts[0] }, people.boss)
    await open('/invitations')
    const sent = await send('/invitations', { emails: run.model.email })
    assert.ok([303, 409].includes(sent.status), String(sent.body))
    const [id] = [...run.model.memberships[at]].find(([, { accountId }]) => accountId === accounts[0]) ?? []
    if (!id) return
    await open(`/members/${id}`)
    const answer = await send(`/members/${id}/remove`)
    assert.ok(answer.status < 500)
    await readMemberships(run, at)
  }),
  /** Support acts for the member: its token says what those of the member say, and sets nothing. */
  supportActs: admin(async (run, at) => {
    const { app, model } = run
    const { people, system: used } = run[at]
    const [member] = [...model.memberships[at]].find(([, { status }]) => status === 'active') ?? []
    if (!member) return
    const { access_token: own } = await app.signIn(used, {
      email: people.agent.email,
      visitor: newVisitor(app),
    })
    const answer = await app.token(used, {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: member,
      subject_token_type: 'urn:tenantry:params:oauth:token-type:membership',
      actor_token: own,
      actor_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      reason: 'Ticket 4711: the invoice is empty',
    })
    const isEnabled = !model.global.disabled && !model.stated[at]!.disabled
    assert.equal(answer.status === 200, isEnabled, JSON.stringify(answer.body))
    if (!isEnabled) return
    const token: string = answer.body.access_token
    const { name, email_verified } = (await app.me(token)).body
    assert.deepEqual({ name, email_verified }, claimsIn(model, at), `the claims of acting in ${at}`)
    const set = { password: passwordOf(model, at) }
    assert.ok([401, 403].includes((await app.as(token).post(`${pathOf(run)}/set-password`, set)).status))
  }),
}

const ofPlatform: Record<string, Act> = {
  platformEndsSessions: platform(async (run) => {
    if (!run.model.id) return
    expectStatus(await run.app.platform.delete(`/admin/sessions/by-user/${run.model.id}`), 200)
  }),
  platformDeletes: platform(async (run) => {
    if (!run.model.id) return
    expectStatus(await run.app.platform.delete(pathOf(run)), 204)
    forgetUser(run.model)
    await spend(run, 'reset', 'verify')
  }),
}

/** What an answer to an invitation changes, if it made a member. */
async function joined(run: Run, accountId: string): Promise<void> {
  const at = PLACES.find((place) => run[place].accounts[0] === accountId)!
  for (const place of PLACES) await readMemberships(run, place)
  run.model.stated[at]!.entered = true
  run.model.global.emailVerified = true
}

const ofOwner: Record<string, Act> = {
  acceptInvitation: owner(async (run) => {
    const { app, model } = run
    const { password: own, disabled } = model.global
    const link = await invitationLinkTo(app, model.email).catch(() => undefined)
    if (link === undefined || disabled) return
    const browser = newVisitor(app)
    const opened = await browser.get(link, JSON_ONLY)
    if (opened.status !== 200) return
    const { step, account } = opened.body
    const token = new URLSearchParams(link.split('?')[1]).get('token')!
    if (step === 'register') {
      const password = passwordOf(model, 'owner')
      const done = await browser.post('/invitation', { token, decision: 'register', password }, JSON_ONLY)
      if (done.status === 403) return
      assert.equal(done.status, 200, JSON.stringify(done.body))
      assert.equal(own, undefined, 'an invitation replaces no password')
      model.id ??= (await app.platform.get(`/admin/users?email=${model.email}`)).body.data[0].id
      passwordByMail(model, password)
      await joined(run, account.id)
      await spend(run, 'reset', 'verify')
      return
    }
    assert.equal(step, 'sign_in')
    if (own === undefined) return
    const login = await browser.follow(await browser.get(link.replace('/invitation', '/invitation/sign-in')))
    await finish(run, browser, { page: login, password: own, at: 'account' })
    const done = await browser.post('/invitation', { token, decision: 'accept' }, JSON_ONLY)
    if (done.status === 403) return
    assert.ok(['joined', 'pending', 'member'].includes(done.body.step), JSON.stringify(done.body))
    await joined(run, account.id)
  }),
  patchOwnName: owner(async (run) => {
    const { model } = run
    if (model.global.password === undefined || model.global.disabled) return
    const { visitor } = await enterAccount(run, model.global.password)
    const name = markOf(model, 'global', true)
    const saved = await visitor.submit(await visitor.get('/account'), { name })
    assert.equal(saved.status, 303, String(saved.body))
    model.global.name = name
  }),
  /** Takes an address that a system has given to another user, who becomes this one. */
  moveToTaken: owner(async (run, at) => {
    const { app, model } = run
    if (model.global.password === undefined || model.global.disabled) return
    const to = `${crypto.randomUUID()}@x.test`
    const stated = { name: markOf(model, at, true), password: passwordOf(model, at) }
    expectStatus(await run[at].service.post('/admin/users', { email: to, ...stated }), 201)
    const { visitor } = await enterAccount(run, model.global.password)
    const asked = await visitor.submit(await visitor.get('/account/email'), { email: to })
    assert.equal(asked.status, 303, String(asked.body))
    const useLink = async (email: string, kind: string) => {
      const { text } = (await app.emailsTo(email)).findLast((each) => each.kind === kind)!
      const link = new URL(/https?:\S+/.exec(text)![0])
      const token = link.searchParams.get('token')!
      expectStatus(await visitor.post('/change-email', { token }, JSON_ONLY), 200)
    }
    if (model.global.emailVerified) await useLink(model.email, 'email_change_allow')
    await useLink(to, 'email_change')
    move(model, to)
    model.stated[at] ??= { ...blank(), ...stated }
    model.global.emailVerified = true
  }),
}

export const ACTS: Record<string, Act> = { ...ofSystem, ...ofAdmin, ...ofPlatform, ...ofOwner }
