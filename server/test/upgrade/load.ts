/** Sign-ins, refresh tokens in rotation, and service tokens, without any fault that they tolerate. */
import { setTimeout as pause } from 'node:timers/promises'
import { createProduct } from '../support/small-product.ts'
import { serviceToken, signInTo, tokenRequest } from '../support/testing.ts'

type Client = { id: string; secret: string }

export type Load = {
  /** The step of the upgrade, for the faults. */
  step: string
  requests: Record<string, number>
  failed: string[]
  /** In ms. */
  slowest: number
  /** The email addresses of users who have signed in. */
  signedIn: Set<string>
}

/** Uses of a refresh token before the next sign-in. */
const TURNS = 12
/** The pause of a caller between two requests, in ms. */
const PAUSE = 20

/** Starts `callers` of each kind. `end` waits until their last requests are answered. */
export async function startLoad(url: string, client: Client, callers: number) {
  const { system, newMember } = await createProduct(url, client)
  const load: Load = { step: 'before', requests: {}, failed: [], slowest: 0, signedIn: new Set() }
  let isOver = false

  async function counted<T>(name: string, request: () => Promise<T>): Promise<T | undefined> {
    const began = performance.now()
    try {
      return await request()
    } catch (error) {
      const { message, cause } = error as Error
      load.failed.push(`${load.step}: ${name}: ${message} ${cause ?? ''}`.slice(0, 400))
      return undefined
    } finally {
      load.requests[name] = (load.requests[name] ?? 0) + 1
      load.slowest = Math.max(load.slowest, performance.now() - began)
      await pause(PAUSE)
    }
  }

  async function session(email: string): Promise<void> {
    const tokens = await counted('sign-in', () => signInTo(url, system as never, { email }))
    if (tokens) load.signedIn.add(email)
    let current = tokens?.refresh_token
    for (let turn = 0; turn < TURNS && current && !isOver; turn += 1) {
      const refresh_token: string = current
      current = await counted('refresh', async () => {
        const fields = { grant_type: 'refresh_token', refresh_token }
        const { status, body } = await tokenRequest(url, system as never, fields)
        if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
        const authorization = `Bearer ${body.access_token}`
        const me = await fetch(`${url}/me`, { headers: { authorization } })
        const text = await me.text()
        if (!me.ok) throw new Error(`/me ${me.status} ${text}`)
        return body.refresh_token as string
      })
    }
  }

  const repeat = async (operation: () => Promise<unknown>) => {
    while (!isOver) await operation()
  }
  const members = await Promise.all(Array.from({ length: callers }, newMember))
  const running = [
    ...members.map(({ user }) => repeat(() => session(user.email))),
    ...members.map(() =>
      repeat(() => counted('service token', () => serviceToken(url, client.id, client.secret))),
    ),
  ]
  return {
    load,
    async end() {
      isOver = true
      await Promise.all(running)
    },
  }
}
