/** Operations of the protocol: sign-ins, codes, refresh tokens, and the end of sessions. */
import type { Body } from '../support/http.ts'
import { authorizeAt, basicAuth, codeFields } from '../support/testing.ts'
import { expectOnly, isUnknown, type Ledger, type Reply, send, settle } from './ledger.ts'

export type Client = {
  urls: string[]
  token: string
  system: Body
  email: string
  service: { id: string; secret: string }
}

const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!

const ask = (
  ledger: Ledger,
  name: string,
  url: string,
  system: Body,
  form: Record<string, string>,
): Promise<Reply> =>
  send(ledger, name, { method: 'POST', url: `${url}/token`, authorization: basicAuth(system), form })

/** Uses one code through two servers at the same time: at most one succeeds. */
async function redeem(ledger: Ledger, { urls, system, email }: Client): Promise<Body | undefined> {
  const count = ledger.counts.get('sign in with a password') ?? {
    done: 0,
    refused: 0,
    unavailable: 0,
    unanswered: 0,
  }
  ledger.counts.set('sign in with a password', count)
  const signedIn = await authorizeAt(any(urls), system, { email }).catch(() => undefined)
  if (!signedIn?.back.code) {
    count.unavailable += 1
    return undefined
  }
  count.done += 1
  const fields = codeFields(system, signedIn)
  const twice = Math.random() < 0.3
  const replies = await Promise.all(
    (twice ? [0, 1] : [0]).map((number) =>
      ask(ledger, 'exchange a code', urls[number % urls.length]!, system, fields),
    ),
  )
  const done = replies.filter(({ status }) => status === 200)
  if (done.length > 1) ledger.violations.push(`a code was exchanged ${done.length} times`)
  for (const reply of replies) expectOnly(ledger, 'exchange a code', reply, 200, 400)
  if (!twice && replies[0]!.status === 400)
    ledger.violations.push(`a code was refused: ${JSON.stringify(replies[0]!.body)}`)
  return twice ? undefined : done[0]?.body
}

/** Whether an access token is accepted, asked at any server; undefined at the end of the run. */
async function acceptedAt(ledger: Ledger, url: string, token: string): Promise<boolean | undefined> {
  const reply = await settle(ledger, () => send(ledger, '/me', { url: `${url}/me`, token }))
  if (reply) expectOnly(ledger, '/me', reply, 200, 401)
  return reply && reply.status === 200
}

/** Refreshes tokens until the session is ended; then no server accepts a token of it. */
export async function liveSession(ledger: Ledger, client: Client): Promise<void> {
  const { urls, token, system } = client
  let tokens = await redeem(ledger, client)
  if (!tokens) return
  const used: string[] = []
  for (let turn = 0; turn < 30 && !ledger.stopping; turn += 1) {
    const current: string = tokens.refresh_token
    const fields = { grant_type: 'refresh_token', refresh_token: current }
    const began = performance.now()
    const reply = await settle(ledger, () => ask(ledger, 'refresh', any(urls), system, fields))
    if (!reply) return
    if (reply.status !== 200) {
      const after = Math.round(performance.now() - began)
      return void ledger.violations.push(
        `a refresh token was refused after ${after} ms: ${JSON.stringify(reply.body)}`,
      )
    }
    used.push(current)
    tokens = reply.body
    if ((await acceptedAt(ledger, any(urls), tokens.access_token)) === false)
      return void ledger.violations.push('an access token was refused right after its refresh')
  }
  const [sid] = JSON.parse(
    atob(tokens.access_token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')),
  ).jti.split('.')
  const isReplay = used.length > 2 && Math.random() < 0.5
  const ending = isReplay
    ? () =>
        ask(ledger, 'replay a refresh token', any(urls), system, {
          grant_type: 'refresh_token',
          refresh_token: used[0]!,
        })
    : () =>
        send(ledger, 'end a session', { method: 'DELETE', url: `${any(urls)}/admin/sessions/${sid}`, token })
  const reply = await settle(ledger, ending)
  if (!reply) return
  expectOnly(
    ledger,
    isReplay ? 'replay a refresh token' : 'end a session',
    reply,
    ...(isReplay ? [400] : [200, 204, 404]),
  )
  for (const url of urls)
    if (await acceptedAt(ledger, url, tokens.access_token))
      ledger.violations.push('a token of an ended session was accepted')
  const fields = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
  const last = await settle(ledger, () => ask(ledger, 'refresh after the end', any(urls), system, fields))
  if (last) expectOnly(ledger, 'refresh after the end', last, 400)
}

/** A service token, which is accepted by the other server. */
export async function serviceTokens(ledger: Ledger, { urls, service }: Client): Promise<void> {
  const reply = await send(ledger, 'client credentials', {
    method: 'POST',
    url: `${any(urls)}/token`,
    authorization: `Basic ${btoa(`${service.id}:${service.secret}`)}`,
    form: { grant_type: 'client_credentials' },
  })
  expectOnly(ledger, 'client credentials', reply, 200)
  if (isUnknown(reply) || reply.status !== 200) return
  const list = await send(ledger, 'list systems', {
    url: `${any(urls)}/admin/systems?pageSize=1`,
    token: reply.body.access_token,
  })
  expectOnly(ledger, 'list systems', list, 200)
}
