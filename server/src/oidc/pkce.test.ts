import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { authUrl, codeFields, newPkce, startTestApp, type TestBrowser } from '../../test/support/testing.ts'

/** The parameters of the redirect that answers a request without a prompt. */
async function authorization(browser: TestBrowser, url: string): Promise<Record<string, string>> {
  const answer = await browser.get(url)
  return Object.fromEntries(
    new URL(answer.headers.get('location') ?? 'about:blank', 'http://none.example').searchParams,
  )
}

/** Authorization requests without an S256 challenge. */
const WITHOUT_PKCE: Record<string, string | undefined>[] = [
  { code_challenge: undefined, code_challenge_method: undefined },
  { code_challenge: undefined },
  { code_challenge: '', code_challenge_method: '' },
]
const WRONG_PKCE: Record<string, string | undefined>[] = [
  { code_challenge_method: 'plain' },
  { code_challenge_method: undefined }, // the default is plain (RFC 7636 section 4.3)
  { code_challenge_method: 's256' },
  { code_challenge_method: 'S512' },
  { code_challenge: 'x'.repeat(42) },
  { code_challenge: 'x'.repeat(129) },
  { code_challenge: `${'x'.repeat(42)}=` },
]

for (const clientType of ['confidential', 'public']) {
  test(`P16: a ${clientType} client without an S256 challenge gets invalid_request`, async (t) => {
    const { newMember, authorize } = await startTestApp(t)
    const { system, user } = await newMember({ clientType, skipConsent: true })
    const { visitor } = await authorize(system, user)

    for (const more of [...WITHOUT_PKCE, ...WRONG_PKCE]) {
      const back = await authorization(visitor, authUrl(system, newPkce().challenge, more))

      assert.deepEqual([back.error, back.code], ['invalid_request', undefined], JSON.stringify(more))
    }
  })

  test(`P16: a code of a ${clientType} client requires the exact verifier`, async (t) => {
    const { newMember, authorize, token } = await startTestApp(t)
    const { system, user } = await newMember({ clientType, skipConsent: true })
    const authorized = await authorize(system, user)
    const { code_verifier, ...fields } = codeFields(system, authorized)
    const wrong = [
      '',
      authorized.pkce.challenge,
      newPkce().verifier,
      code_verifier.toUpperCase(),
      `${code_verifier}=`,
      `${code_verifier} `,
      code_verifier.slice(0, 42),
      code_verifier + 'x'.repeat(129 - code_verifier.length),
    ]

    const refused = [await token(system, fields)]
    for (const each of wrong) refused.push(await token(system, { ...fields, code_verifier: each }))
    const right = await token(system, { ...fields, code_verifier })

    refused.forEach((answer, at) => {
      assert.equal(answer.status, 400, String(at))
      assert.ok(['invalid_grant', 'invalid_request'].includes(answer.body.error), answer.body.error)
      assert.equal(answer.body.access_token, undefined)
    })
    assert.equal(right.status, 200, 'a refused exchange uses nothing up')
  })
}

test('a verifier has 43 to 128 characters', async (t) => {
  const { newMember, authorize, token } = await startTestApp(t)
  const { system, user } = await newMember({ skipConsent: true })
  const { visitor } = await authorize(system, user)

  for (const length of [42, 43, 128, 129]) {
    const verifier = randomBytes(100).toString('base64url').slice(0, length)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const back = await authorization(visitor, authUrl(system, challenge))
    const answer = await token(system, codeFields(system, { back, pkce: { verifier, challenge } }))

    assert.equal(answer.status, length < 43 || length > 128 ? 400 : 200, String(length))
  }
})

test('with PKCE_REQUIRED=public confidential clients may omit PKCE, public ones may not', async (t) => {
  const { newMember, authorize, token } = await startTestApp(t, { PKCE_REQUIRED: 'public' })
  const [confidential, open] = [
    await newMember({ skipConsent: true }),
    await newMember({ clientType: 'public', skipConsent: true }),
  ]
  const parameters = WITHOUT_PKCE[0] ?? {}

  const authorized = await authorize(confidential.system, { email: confidential.user.email, parameters })
  const { code_verifier: _, ...fields } = codeFields(confidential.system, authorized)
  const exchanged = await token(confidential.system, fields)
  const refused = await authorize(open.system, { email: open.user.email, parameters })

  assert.equal(exchanged.status, 200)
  assert.deepEqual([refused.back.error, refused.back.code], ['invalid_request', undefined])
})

test('P16: with PKCE_REQUIRED=public challenge and verifier are sent both or neither', async (t) => {
  const { newMember, authorize, token } = await startTestApp(t, { PKCE_REQUIRED: 'public' })
  const { system, user } = await newMember({ skipConsent: true })
  const without = await authorize(system, { email: user.email, parameters: WITHOUT_PKCE[0] ?? {} })
  const withIt = await authorize(system, { email: user.email, visitor: without.visitor })
  const { code_verifier: _, ...unmet } = codeFields(system, withIt)

  const answers = [await token(system, codeFields(system, without)), await token(system, unmet)]
  const plain = await authorization(
    without.visitor,
    authUrl(system, newPkce().challenge, { code_challenge_method: 'plain' }),
  )

  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body.error]),
    answers.map(() => [400, 'invalid_grant']),
  )
  assert.deepEqual([plain.error, plain.code], ['invalid_request', undefined])
})

test('discovery announces S256 only', async (t) => {
  const { newBrowser } = await startTestApp(t)

  const { body } = await newBrowser().get('/.well-known/openid-configuration')

  assert.deepEqual(body.code_challenge_methods_supported, ['S256'])
})
