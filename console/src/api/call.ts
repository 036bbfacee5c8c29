/** The only requests of the console. The cookie of the browser session authenticates them. */
import { type Admin, adminOf, fetchOk, jsonOf, requestOf, type ToError } from '../../../sdk/src/operations.ts'
import { Problem } from './problem.ts'

const API = '/console/api'

/** 30 s, in ms. */
const TIMEOUT = 30_000

/** The codes that another sign-in resolves. */
export const SIGN_IN_CODES = [
  'sign_in_required',
  'second_factor_required',
  'insufficient_user_authentication',
]

type SignIn = (code: string) => Promise<boolean>
let signIn: SignIn = async () => false

/** `ask` resolves to true when the user has signed in as required; the request is then sent once more. */
export function signInWith(ask: SignIn): void {
  signIn = ask
}

let userId: string | undefined

/** Sets the user that the page was made for, whom each request names from then on. */
export function callAs(id: string): void {
  userId = id
}

/** Sends a request below /console/api. Throws `Problem`. */
export async function send(path: string, init: RequestInit = {}, ms = TIMEOUT): Promise<Response> {
  const headers = { ...(userId !== undefined && { 'Tenantry-User': userId }), ...init.headers }
  const timeout = AbortSignal.timeout(ms)
  const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout
  return fetchOk(API + path, { ...init, headers, signal }, toProblem)
}

const toProblem: ToError = (status, body, { retryAfter, ...options }) =>
  new Problem(status, body, retryAfter, options)

/** Sends a request, and once more after the sign-in that the server requires, if it `mayAsk` for that. */
async function sendSignedIn(
  path: string,
  init: RequestInit,
  { ms, mayAsk = () => true }: { ms?: number; mayAsk?: (() => boolean) | undefined } = {},
): Promise<Response> {
  try {
    return await send(path, init, ms)
  } catch (error) {
    const { code } = error as Problem
    if (code === 'user_changed') location.assign('/console/')
    if (!SIGN_IN_CODES.includes(code) || !mayAsk() || !(await signIn(code))) throw error
    return send(path, init, ms)
  }
}

/** `platform`, `system:<id>` or `account:<id>`: the value of the header Tenantry-Context. */
export type ContextKey = string

/** The version of a resource as it was read: the value of If-Match of its change. */
const versions = new WeakMap<object, string>()
export const versionOf = (resource: object): string | undefined => versions.get(resource)

async function bodyOf(response: Response): Promise<unknown> {
  const body = await jsonOf(response, toProblem)
  const version = response.headers.get('etag')
  if (version && body !== undefined) versions.set(Object(body), version)
  return body
}

/** A filter that is empty is not sent. */
const filled = (query: object) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))

/** The operations of the admin API in a context. `mayAsk`: whether the user may be asked to sign in again. */
export const apiOf = (context: ContextKey, mayAsk?: () => boolean): Admin =>
  adminOf(async (method, template, { headers, signal, query = {}, ...call } = {}) => {
    const own = {
      'Tenantry-Context': context,
      ...(method === 'post' && { 'Idempotency-Key': crypto.randomUUID() }), // the same after a sign-in
    }
    const { address, init } = requestOf(method, template, {
      ...call,
      query: filled(query),
      headers: { ...own, ...headers },
    })
    return bodyOf(await sendSignedIn(address, { ...init, ...(signal && { signal }) }, { mayAsk }))
  })

/** A response as it is: for streams. */
export const openStream = (context: ContextKey, path: string, signal: AbortSignal): Promise<Response> =>
  fetch(API + path, {
    headers: { 'Tenantry-Context': context, ...(userId !== undefined && { 'Tenantry-User': userId }) },
    signal,
  })

/** 5 min, in ms. */
const DOWNLOAD_TIMEOUT = 300_000

/** A response that is not one JSON value, as a text. */
export async function readText(context: ContextKey, address: string): Promise<string> {
  const init = { headers: { 'Tenantry-Context': context } }
  return (await sendSignedIn(address, init, { ms: DOWNLOAD_TIMEOUT })).text()
}

/** Sends a text that is not one JSON value, such as lines of it; the response is a text as well. */
export async function sendText(
  context: ContextKey,
  path: string,
  type: string,
  text: string,
): Promise<string> {
  const headers = { 'Tenantry-Context': context, 'content-type': type }
  return (await sendSignedIn(path, { method: 'POST', headers, body: text })).text()
}
