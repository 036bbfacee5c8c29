/**
 * The pages of the device flow (RFC 8628 section 3.3). A form, and a sign-in that returns, is answered by a
 * redirect to /device, which shows the outcome (http/shown.ts).
 */
import type { Client, ErrorOut, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Config } from '../../config/config.ts'
import { type Seal, sameText } from '../../crypto/seal.ts'
import { checkCookies } from '../../http/cookie-check.ts'
import { cookieAttributes, cookieName } from '../../http/forms-and-cookies.ts'
import { isRead } from '../../http/methods.ts'
import { addressShowing, readShown } from '../../http/shown.ts'
import { applicationOfClient } from '../clients/client.ts'
import { requestState, userIdOf } from '../policy/request-state.ts'
import {
  applicationIn,
  askOf,
  type Device,
  type DeviceFault,
  ownForm,
  type Render,
  redirectToProtocolOutcome,
  renderError,
  send,
} from './render.ts'

const PATH = '/device'
/** Characters of a user code. The form has a field of this length. */
export const USER_CODE_MAX = 40

/** Stored with the codes. `requestedAt`: in seconds since 1970. */
export const deviceInfoOf = (ctx: KoaContextWithOIDC): Device => ({
  ip: ctx.ip,
  userAgent: ctx.get('user-agent').slice(0, 200),
  requestedAt: Math.floor(Date.now() / 1_000),
})

/** The library's error classes for user codes (RFC 8628 section 3.3), which it does not export. */
const DEVICE_FAULTS: Record<string, DeviceFault> = {
  NoCodeError: 'missing',
  NotFoundError: 'wrong',
  ExpiredError: 'expired',
  AlreadyUsedError: 'used',
  TooManyCodes: 'slow',
  // The CSRF token or the cookie of the interaction is missing.
  InvalidRequest: 'form',
  SessionNotFound: 'form',
}

type DeviceError = Error & { userCode?: string; retryAfter?: number }

type Parts = { render: Render; config: Config; seal: Seal }

/** What /device shows: the form for a code, with an error; the confirmation of a code; or the end. */
type Shown =
  | { page: 'code'; status: number; code?: string; fault: DeviceFault; retryAfter?: number }
  | { page: 'confirm'; code: string }
  | { page: 'end'; done: boolean; clientId?: string }

const wantsJson = (ctx: KoaContextWithOIDC) => ctx.accepts('html', 'json') === 'json'

/** The browser session is the same before and after a sign-in. */
const browserOf = ({ oidc: { session } }: KoaContextWithOIDC) => `${PATH} ${session?.uid}`

/** Redirects to the page, unless this is a request for it, or for JSON. */
function isShownThere({ seal }: Parts, ctx: KoaContextWithOIDC, shown: Shown): boolean {
  if (wantsJson(ctx) || (isRead(ctx) && ctx.oidc.route !== 'device_resume')) return false
  const address = addressShowing(seal, PATH, { page: browserOf(ctx), shown })
  if (address !== undefined) redirectToProtocolOutcome(ctx, address)
  return address !== undefined
}

/** The page to enter a user code. The library calls it for every later error as well. */
export async function renderDeviceCode(
  parts: Parts,
  ctx: KoaContextWithOIDC,
  form: string,
  out: ErrorOut | undefined,
  error: DeviceError | undefined,
): Promise<void> {
  const { render, config, seal } = parts
  if (error?.name === 'AbortedError') return renderDeviceEnd(parts, ctx, false)
  const check = checkCookies(config, { url: ctx.url, headers: ctx.headers })
  const isRefused = check.cookies === 'refused'
  if (isRefused) ctx.append('set-cookie', check.setCookie)
  const fault = isRefused ? 'cookies' : error && DEVICE_FAULTS[error.name]
  if (out && !fault) return renderError(render, ctx, out)
  const { action } = ownForm(form)
  const { session } = ctx.oidc
  if (out && session?.exp === undefined) {
    // A browser without a session has no CSRF token: it gets both with the form.
    if (session) Object.assign(session, { touched: false })
    ctx.status = 303
    if (check.cookies === 'unknown') ctx.append('set-cookie', check.setCookie)
    ctx.redirect(check.cookies === 'unknown' ? check.location : action)
    return
  }
  const { sender, userCode } = requestState(ctx)
  const found =
    fault || wantsJson(ctx)
      ? undefined
      : readShown<Shown>(seal, { query: ctx.query, actor: sender }, browserOf(ctx))
  if (found && (await renderShown(parts, ctx, form, found))) return
  const { retryAfter } = error ?? {}
  sendDeviceCode(parts, ctx, form, { code: error ? error.userCode : userCode, fault, retryAfter })
}

type CodeForm = {
  code: string | undefined
  fault?: DeviceFault | undefined
  retryAfter?: number | undefined
}

function sendDeviceCode(
  parts: Parts,
  ctx: KoaContextWithOIDC,
  form: string,
  { code: given, fault, retryAfter }: CodeForm,
): void {
  const code = given?.slice(0, USER_CODE_MAX)
  const { status } = ctx
  const typed = { ...(code !== undefined && { code }), ...(retryAfter !== undefined && { retryAfter }) }
  if (fault && isShownThere(parts, ctx, { page: 'code', status, fault, ...typed })) return
  if (retryAfter !== undefined) ctx.set('retry-after', String(retryAfter))
  const { action, xsrf } = ownForm(form)
  if (wantsJson(ctx)) {
    const fields = { xsrf, user_code: code ?? '' }
    ctx.body = { step: 'device', action, fields, ...(fault && { error: fault }) }
    return
  }
  const filled = { action, xsrf, ...(code !== undefined && { code }), ...(fault && { fault }) }
  send(ctx, parts.render.deviceCode(filled, askOf(ctx)))
}

/** The page of an earlier form. False if it has nothing to show any more. */
async function renderShown(
  parts: Parts,
  ctx: KoaContextWithOIDC,
  form: string,
  { shown, age }: { shown: Shown; age: number },
): Promise<boolean> {
  if (shown.page === 'end') {
    await keepClient(ctx, shown.clientId)
    renderDeviceEnd(parts, ctx, shown.done)
    return true
  }
  if (shown.page === 'confirm') return renderConfirmation(parts, ctx, form, shown.code)
  const { status, code, fault, retryAfter } = shown
  const left = retryAfter === undefined ? undefined : retryAfter - age
  if (left !== undefined && left <= 0) return false
  ctx.status = status
  sendDeviceCode(parts, ctx, form, { code, fault, retryAfter: left })
  return true
}

async function keepClient(ctx: KoaContextWithOIDC, clientId: string | undefined): Promise<void> {
  const client = clientId && (await (ctx.oidc.provider as Provider).Client.find(clientId))
  if (client) ctx.oidc.entity('Client', client)
}

/** The confirmation of a code, or what has become of it since. */
async function renderConfirmation(
  parts: Parts,
  ctx: KoaContextWithOIDC,
  form: string,
  code: string,
): Promise<boolean> {
  const { DeviceCode } = ctx.oidc.provider as Provider
  const found = await DeviceCode.findByUserCode(bare(code), { ignoreExpiration: true })
  await keepClient(ctx, found?.clientId)
  const { client, session } = ctx.oidc
  const uid = signInOf(parts, ctx, code)
  if (found?.error !== undefined) renderDeviceEnd(parts, ctx, false)
  else if (found?.accountId !== undefined && found.accountId === userIdOf(session))
    renderDeviceEnd(parts, ctx, true)
  else if (found?.inFlight && uid !== undefined) {
    ctx.status = 303
    ctx.redirect(`/interaction/${uid}`)
  } else if (!found || !client || found.isExpired) {
    sendDeviceCode(parts, ctx, form, { code, fault: found?.isExpired ? 'expired' : 'wrong' })
  } else if (found.accountId !== undefined || found.inFlight) {
    sendDeviceCode(parts, ctx, form, { code, fault: 'used' })
  } else renderDeviceConfirm(parts, ctx, form, { client, device: found.deviceInfo as Device, code })
  return true
}

const bare = (code: string) => code.replace(/\W/g, '')

/**
 * The cookie of /device with the sign-in that confirms a code: Back leads from /device to it again. A server
 * of a sibling domain can set a cookie of this name, so it has a mark of this browser session.
 */
const signInCookie = (config: Config) => cookieName(config, '__Secure-', 'device')
const codeMarkOf = (seal: Seal, ctx: KoaContextWithOIDC, code: string, uid: string) =>
  seal.hash(JSON.stringify([browserOf(ctx), code, uid]), 'device-sign-in').toString('base64url')
/** Seconds, as long as a code is valid. */
const CODE_LIFETIME = 600

function signInOf({ config, seal }: Parts, ctx: KoaContextWithOIDC, code: string): string | undefined {
  const [uid = '', mark = ''] = ctx.cookies.get(signInCookie(config), { signed: false })?.split('.') ?? []
  return sameText(mark, codeMarkOf(seal, ctx, bare(code), uid)) ? uid : undefined
}

/** Call it when the library has answered. */
export function keepDeviceSignIn({ config, seal }: Omit<Parts, 'render'>, ctx: KoaContextWithOIDC): void {
  if (ctx.oidc?.route !== 'code_verification' || isRead(ctx)) return
  const { pathname } = new URL(ctx.response.get('location'), config.BASE_URL)
  const uid = /^\/interaction\/([\w-]{1,100})$/.exec(pathname)?.[1]
  const { DeviceCode: code } = ctx.oidc.entities
  if (uid === undefined || !code) return
  const { userCode } = code
  const { secure } = cookieAttributes(config, PATH)
  const attributes = `Path=${PATH}; Max-Age=${CODE_LIFETIME}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  ctx.append(
    'set-cookie',
    `${signInCookie(config)}=${uid}.${codeMarkOf(seal, ctx, userCode, uid)}; ${attributes}`,
  )
}

/** `code` is formatted as the device displays it. */
type DeviceRequest = { client: Client; device: Device; code: string }

export function renderDeviceConfirm(
  parts: Parts,
  ctx: KoaContextWithOIDC,
  form: string,
  { client, device, code }: DeviceRequest,
): void {
  if (isShownThere(parts, ctx, { page: 'confirm', code })) return
  const { action, xsrf } = ownForm(form)
  const system = applicationOfClient(client)!
  if (wantsJson(ctx)) {
    ctx.body = {
      step: 'device_confirm',
      action,
      system: { name: system.name },
      device,
      fields: { xsrf, user_code: code, confirm: 'yes' },
    }
    return
  }
  send(ctx, parts.render.deviceConfirm({ action, xsrf, code, system, device }, askOf(ctx)))
}

export function renderDeviceEnd(parts: Parts, ctx: KoaContextWithOIDC, done: boolean): void {
  const { client } = ctx.oidc
  const clientId = client && { clientId: client.clientId }
  if (isShownThere(parts, ctx, { page: 'end', done, ...clientId })) return
  if (wantsJson(ctx)) {
    ctx.body = { step: done ? 'device_done' : 'device_stopped' }
    return
  }
  send(ctx, parts.render.deviceEnd({ ...applicationIn(ctx), done }, askOf(ctx)))
}
