/**
 * Callers that create memberships through two servers without a pause, and read each one back through the
 * other server. Remembers what was acknowledged.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { serviceToken } from '../support/testing.ts'

/** Concurrent callers. */
const CALLERS = 4
/** The pause of a caller after a failed request, in ms. */
const PAUSE = 20
/** In ms: a request is answered within 5 s, whatever the database does, and 1 s for a busy machine. */
const ANSWER_MAX = 6_000

export type Target = { urls: string[]; client: { id: string; secret: string } }

export type Window = { /** In ms: the longest time without an acknowledged change. */ longest: number }

export type Workload = {
  /** Ids of acknowledged memberships. */
  acknowledged: Set<string>
  /** Responses other than success and 503, and acknowledged memberships that were not found. */
  faults: string[]
  /** Number of failed requests. */
  failed(): number
  /** Starts to measure the window of a fault; call the result after the recovery. */
  watch(): () => Window
  stop(): Promise<void>
}

type Answer = { status: number; body: { id?: string; error?: string } }

export async function startWorkload({ urls, client }: Target): Promise<Workload> {
  const token = await serviceToken(urls[0]!, client.id, client.secret)
  const state = { acknowledgedAt: performance.now(), longest: 0, failed: 0, stopping: false }
  const acknowledged = new Set<string>()
  const faults: string[] = []

  const send = async (server: number, method: string, path: string, body?: object): Promise<Answer> => {
    const begin = performance.now()
    const answer = await fetch(urls[server % urls.length]! + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : null,
    }).then(
      async (response) => ({ status: response.status, body: JSON.parse((await response.text()) || '{}') }),
      (error) => ({ status: 0, body: { error: String(error.cause ?? error) } }),
    )
    const took = performance.now() - begin
    const isExpected = answer.status === 503 || (answer.status >= 200 && answer.status < 300)
    if (!isExpected) faults.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    if (took > ANSWER_MAX) faults.push(`${method} ${path}: answered after ${Math.round(took)} ms`)
    if (answer.status !== 503) return answer
    state.failed += 1
    await pause(PAUSE)
    return answer
  }
  const { id: systemId } = (
    await send(0, 'POST', '/admin/systems', { name: 'Failover', redirectUris: [], multiAccount: true })
  ).body

  const note = (id: string) => {
    const now = performance.now()
    state.longest = Math.max(state.longest, now - state.acknowledgedAt)
    state.acknowledgedAt = now
    acknowledged.add(id)
  }
  /** A membership that was acknowledged by one server is found by the other. */
  const readBack = async (server: number, id: string) => {
    while (!state.stopping) {
      const { status } = await send(server, 'GET', `/admin/memberships/${id}`)
      if (status !== 503) return
    }
  }
  const call = async (number: number) => {
    for (let turn = number; !state.stopping; turn += 1) {
      const user = await send(turn, 'POST', '/admin/users', { email: `${crypto.randomUUID()}@failover.test` })
      if (user.status !== 201) continue
      const { body, status } = await send(turn, 'POST', '/admin/memberships', {
        userId: user.body.id,
        systemId,
        accountName: 'Failover',
      })
      if (status !== 201 || !body.id) continue
      note(body.id)
      await readBack(turn + 1, body.id)
    }
  }
  const callers = Array.from({ length: CALLERS }, (_, number) => call(number))
  return {
    acknowledged,
    faults,
    failed: () => state.failed,
    watch() {
      state.longest = 0
      state.acknowledgedAt = performance.now()
      return () => ({ longest: state.longest })
    },
    async stop() {
      state.stopping = true
      await Promise.all(callers)
    },
  }
}
