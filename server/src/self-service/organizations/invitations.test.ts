/** The page on which the admins of an organization invite. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invitationLinkTo, newAddress } from '../../../test/support/invitations.ts'
import { newTeam, text, visitorOf } from '../../../test/support/organizations.ts'
import { type Answer, startTestApp } from '../../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const statuses = (answers: Answer[]) => answers.map(({ status }) => status)
const listed = async (app: App, accountId: string) =>
  (await app.platform.get(`/admin/accounts/${accountId}/invitations`)).body.data as Record<string, string>[]

test('an admin invites several addresses, sends one again and revokes one, and sees no link', async (t) => {
  const app = await startTestApp(t)
  const { admin, member, role, system, accountId, path } = await newTeam(app)
  const [one, two] = [newAddress(), newAddress()]

  await admin.open('/invitations')
  const fields = [
    ['emails', `${one}\r\n ${two.toUpperCase()}, ${one}`],
    ['roles', role.id],
    ['message', 'We start on Monday.'],
  ]
  const sent = await admin.browser.follow(await admin.send('/invitations', fields))
  const first = await invitationLinkTo(app, one)
  const rows = await listed(app, accountId)
  const idOf = (email: string) => rows.find((row) => row.email === email)!.id!
  const resent = await admin.browser.follow(await admin.send('/invitations/change', { resend: idOf(one) }))
  const second = await invitationLinkTo(app, one)
  const revoked = await admin.browser.follow(await admin.send('/invitations/change', { revoke: idOf(two) }))
  const mixed = await admin.send('/invitations', {
    emails: `nobody ${one} ${member.email}`,
  })

  assert.match(text(sent), /The invitations were sent\./)
  assert.deepEqual(
    rows.map(({ email, roles }) => [email, roles]).sort(),
    [
      [one, [role.id]],
      [two, [role.id]],
    ].sort(),
  )
  assert.ok((await app.emailsTo(two))[0]!.text.includes('We start on Monday.'))
  assert.match(text(resent), /The invitation was sent again\./)
  assert.notEqual(first, second)
  assert.match(text(revoked), /The invitation was revoked\./)
  assert.deepEqual((await listed(app, accountId)).map(({ status }) => status).sort(), ['pending', 'revoked'])
  assert.equal(mixed.status, 409)
  for (const reason of ['this is not an email address', 'already invited', 'already a member'])
    assert.ok(text(mixed).includes(reason), reason)
  assert.match(text(mixed), new RegExp(`<textarea id="emails"[^>]*>\\s*nobody\n${one}\n${member.email}<`))
  for (const page of [sent, resent, revoked, mixed, await admin.open('/invitations')])
    for (const link of [first, second])
      assert.ok(
        !text(page).includes(new URL(link, app.url).searchParams.get('token')!) &&
          !text(page).includes('/invitation?'),
      )
  const entries = await app.audited({ systemId: system.id, action: 'invitation.created' })
  assert.deepEqual(
    entries.map(({ actorId, actorVia }) => [actorId, actorVia]),
    Array(2).fill([admin.id, 'account_pages']),
  )
  assert.ok(path)
})

test('the page is the same for an invited address with and without a user', async (t) => {
  const app = await startTestApp(t)
  const { admin } = await newTeam(app)
  const [known, unknown] = [String((await app.newUser()).email), newAddress()]

  const pages = []
  for (const emails of [known, unknown]) {
    const answer = await admin.send('/invitations', { emails })
    pages.push([answer.status, answer.headers.get('location')])
  }
  const list = text(await admin.open('/invitations'))
  const rowOf = (email: string) =>
    new RegExp(`<li><span class="avatar(?:(?!</li>)[\\s\\S])*${email}[\\s\\S]*?</li>`)
      .exec(list)![0]
      .replaceAll(email, '')
      .replace(/<span class="avatar.*?<\/span>|datetime="[^"]+"/g, '')
      .replace(/[\da-f-]{36}/g, '')

  assert.deepEqual(pages[0], pages[1])
  assert.equal(rowOf(known), rowOf(unknown))
})

test('P63: only an admin of the account invites, sends again and revokes, and only in it', async (t) => {
  const app = await startTestApp(t)
  const [team, rival] = [await newTeam(app, { admins: 2 }), await newTeam(app)]
  const { admin, member, accountId, system } = team
  const former = team.admins[1]!
  const reserved = await app.newRole(system.id, { assignableByAccountAdmins: false })
  await admin.send('/invitations', { emails: newAddress() })
  const [invitation] = await listed(app, accountId)
  const id = String(invitation!.id)
  await former.open('/invitations')
  await app.platform.patch(`/admin/memberships/${former.membershipId}/roles`, { roles: [] })
  const across = await visitorOf(app, team, rival.admin)
  const attempts = [
    ['/invitations', { emails: newAddress() }],
    ['/invitations/change', { resend: id }],
    ['/invitations/change', { revoke: id }],
  ] as const

  const answers: Record<string, number[]> = {}
  for (const [name, each] of Object.entries({ member, former, across, rival: rival.admin })) {
    answers[name] = [(await each.open('/invitations')).status]
    for (const [path, fields] of attempts)
      if (name !== 'rival' || path !== '/invitations')
        answers[name].push((await each.send(path, fields)).status)
  }
  const withReserved = await admin.send('/invitations', { emails: newAddress(), roles: reserved.id })
  const page = await admin.open('/invitations')

  assert.deepEqual(answers, {
    member: [403, 403, 403, 403],
    former: [403, 403, 403, 403],
    across: [404, 404, 404, 404],
    rival: [200, 404, 404],
  })
  assert.equal(withReserved.status, 409)
  assert.ok(!text(page).includes(reserved.name))
  const after = await listed(app, accountId)
  assert.deepEqual(
    after.map(({ id, status, sends }) => [id, status, sends]),
    [[id, 'pending', 1]],
  )
})

test('faults of the form are named: no address, too many, a link, a long message', async (t) => {
  const app = await startTestApp(t)
  const { admin, accountId } = await newTeam(app)
  const many = Array.from({ length: 101 }, (_, n) => `u${n}@x.example`).join('\n')

  const answers = [
    await admin.send('/invitations', { emails: ' \r\n' }),
    await admin.send('/invitations', { emails: many }),
    await admin.send('/invitations', { emails: newAddress(), message: 'see evil.example/win' }),
    await admin.send('/invitations', { emails: newAddress(), message: 'x'.repeat(501) }),
    await admin.send('/invitations/change', { resend: 'nothing' }),
  ]

  assert.deepEqual(statuses(answers), [400, 400, 409, 400, 200])
  const sentences = [
    'Enter at least one email',
    'at most 100 addresses',
    'must not contain links',
    'at most 500',
  ]
  for (const [index, sentence] of sentences.entries())
    assert.ok(text(answers[index]!).includes(sentence), sentence)
  assert.deepEqual(await listed(app, accountId), [])
})
