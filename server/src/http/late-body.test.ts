/** Requests whose body arrives long after their headers, by which the caller was accepted. */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { consoleHeaders, newOperator } from '../../test/support/console.ts'
import { newAddress, newOrganization } from '../../test/support/invitations.ts'
import { type Driver, startTestApp } from '../../test/support/testing.ts'

/** In ms: longer than the time for which a decision holds. */
const LATER = 1_200

/** Sends the headers and the first byte of the body; `finish` sends the rest and returns status and code. */
async function slowly(url: string, method: string, headers: Record<string, string>, body: object) {
  const text = JSON.stringify(body)
  const fields = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers }
  const request = httpRequest(url, { method, headers: fields })
  const answered = new Promise<[number | undefined, string]>((resolve, reject) => {
    request.on('error', reject).on('response', async (response) => {
      const answer = Buffer.concat(await response.toArray()).toString()
      resolve([response.statusCode, answer && JSON.parse(answer).code])
    })
  })
  request.write(text.slice(0, 1))
  await sleep(LATER)
  return {
    finish: () => {
      request.end(text.slice(1))
      return answered
    },
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

type Case = {
  send: (before: (() => Promise<unknown>)[]) => Promise<[number | undefined, string]>
  lose: () => Promise<{ status: number }>
  refused: [number, string]
}

const CASES: Record<string, (app: Driver) => Promise<Case>> = {
  async 'an admin of an organization is removed'(app) {
    const { system, admin, path, admins, service } = await newOrganization(app)
    const { access_token } = await app.signIn(system, { email: admin.email })
    const { data } = (await app.platform.get(`/admin/memberships?userId=${admin.id}`)).body
    return {
      send: send(`${app.url}${path}`, 'POST', bearer(access_token), {
        email: newAddress(),
        roles: [admins.id],
      }),
      lose: () => service.delete(`/admin/memberships/${data[0].id}`),
      refused: [401, 'invalid_token'],
    }
  },
  async 'an application loses its client credentials'(app) {
    const system = await app.newSystem({ allowClientCredentials: true })
    const { token } = await app.serviceOf(system)
    const path = `/admin/systems/${system.id}`
    return {
      send: send(`${app.url}${path}`, 'PATCH', bearer(token), { redirectUris: ['https://evil.example/cb'] }),
      lose: () => app.platform.patch(path, { allowClientCredentials: false }),
      refused: [401, 'invalid_token'],
    }
  },
  async 'an operator is removed from the console'(app) {
    const { user, browser, operatorId } = await newOperator(app)
    const target = await app.newUser()
    const headers = {
      ...consoleHeaders(app.url, user, 'platform'),
      cookie: browser.cookiesFor('/console/api/admin/operators'),
    }
    return {
      send: send(`${app.url}/console/api/admin/operators`, 'POST', headers, {
        userId: target.id,
        level: 'admin',
      }),
      lose: () => app.platform.delete(`/admin/operators/${operatorId}`),
      refused: [404, 'context_not_found'],
    }
  },
}

/** Sends a request slowly, and calls `meanwhile` before its body ends. */
const send =
  (url: string, method: string, headers: Record<string, string>, body: object) =>
  async (meanwhile: (() => Promise<unknown>)[]) => {
    const { finish } = await slowly(url, method, headers, body)
    for (const each of meanwhile) await each()
    return finish()
  }

for (const [what, prepare] of Object.entries(CASES))
  test(`P94: ${what} while the body of a request is sent: it is refused`, async (t) => {
    const app = await startTestApp(t)
    const { send, lose, refused } = await prepare(app)

    const kept = await send([])
    const lost = await send([
      async () => {
        const { status } = await lose()
        assert.ok(status < 300, String(status))
      },
    ])

    assert.ok((kept[0] ?? 500) < 300, JSON.stringify(kept))
    assert.deepEqual(lost, refused)
  })
