/**
 * How recent the login at a provider has to be. The request passes through the browser, and whoever sits
 * there can remove `prompt=login` from it: only what the answer states counts.
 */
import { GOOGLE_ISSUER } from '../../config/identity-providers.ts'
import { isWithin } from '../../http/recent-sign-in.ts'
import type { Interaction } from '../../oidc/interaction.ts'
import type { Configured } from '../../resources/connections/configured.ts'
import type { Arrived } from './arrived.ts'

/** In seconds, by which clocks may differ. */
const TOLERANCE = 60

type Demand = { isNew: boolean; maxAge: number | undefined }

/** `isNew`: the user has to log in now. `maxAge`: in seconds; infinite if only the time is asked for. */
function demandOf({ params, prompt }: Interaction): Demand {
  const prompts = String(params.prompt ?? '').split(' ')
  const { max_age: maxAge } = params as { max_age?: unknown }
  return {
    isNew: prompts.includes('login') || prompt.reasons.includes('device'),
    maxAge:
      maxAge !== undefined
        ? Number(maxAge)
        : prompt.reasons.includes('max_age')
          ? Number.POSITIVE_INFINITY
          : undefined,
  }
}

/** The parameters of the request to the provider. `hint`: the address of the user. */
export function askedOf(
  interaction: Interaction,
  { issuer }: Pick<Configured, 'issuer'>,
  hint: string | undefined,
): Record<string, string> {
  const { isNew, maxAge } = demandOf(interaction)
  const isAsked = isNew || maxAge !== undefined
  const age = isNew ? 0 : maxAge
  return {
    ...(hint !== undefined && { login_hint: hint }),
    ...(isAsked && {
      ...(isNew && { prompt: issuer === GOOGLE_ISSUER ? 'select_account' : 'login' }),
      ...(age !== undefined && Number.isFinite(age) && { max_age: String(age) }),
      claims: JSON.stringify({ id_token: { auth_time: { essential: true } } }),
    }),
  }
}

/** Whether a SAML provider is asked for a new login. */
export function asksForLogin(interaction: Interaction): boolean {
  const { isNew, maxAge } = demandOf(interaction)
  return isNew || (maxAge !== undefined && Number.isFinite(maxAge))
}

/**
 * `loginAt`: when the user has authenticated in person, in ms since 1970; undefined if the provider does not
 * say. `isFresh`: since the sign-in has begun. `isMet`: what the sign-in demands.
 */
export function freshnessOf(
  interaction: Interaction,
  { reauthentication }: Pick<Configured, 'reauthentication'>,
  { at, stated: { authTime } }: Pick<Arrived, 'at' | 'stated'>,
): { loginAt: number | undefined; isFresh: boolean; isMet: boolean } {
  const assumed = reauthentication === 'unconfirmed' ? at : undefined
  const loginAt = authTime === null ? assumed : Math.min(at, authTime * 1_000)
  const isFresh = loginAt !== undefined && loginAt >= (interaction.iat - TOLERANCE) * 1_000
  const { isNew, maxAge } = demandOf(interaction)
  const isRecentEnough =
    loginAt !== undefined && maxAge !== undefined && isWithin(Math.floor(loginAt / 1_000), maxAge)
  const isMet = isFresh || (!isNew && (maxAge === undefined || isRecentEnough))
  return { loginAt, isFresh, isMet }
}
