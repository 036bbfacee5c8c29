/** What a request asks for besides a sign-in: a test of one, or a registration. */
import type { KoaContextWithOIDC } from 'oidc-provider'

/** Whether a request is a test of a sign-in (test-sign-in.ts). */
export const isTest = ({ oidc: { params } }: KoaContextWithOIDC): boolean => params?.test !== undefined

/**
 * Whether the user registers, if the system allows it, before anything else. With prompt=create also a user
 * who is signed in; `screen_hint=signup` only chooses between the pages of registration and login.
 */
export const isRegistrationDue = (ctx: KoaContextWithOIDC, hint: 'prompt' | 'any'): boolean => {
  if (isTest(ctx)) return false
  const { client, prompts, params, result } = ctx.oidc
  const isAsked = prompts.has('create') || (hint === 'any' && params?.screen_hint === 'signup')
  return isAsked && client?.tenantry.open === true && !result?.login
}
