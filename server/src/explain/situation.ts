/** What decides an explanation, and its steps. */
import type { Authority } from '../http/authority.ts'
import type { Offer } from '../oidc/policy/account-choice.ts'
import type { OwingUser } from '../oidc/policy/owed.ts'
import type { Consented } from '../resources/consents/queries.ts'
import type { SelectableMembership } from '../resources/sessions/queries.ts'
import type { Detail } from './queries.ts'

export const STEPS = [
  'client',
  'user',
  'credential',
  'throttle',
  'address',
  'password',
  'code',
  'factor',
  'membership',
  'account',
  'consent',
  'session',
  'token',
] as const
export type StepName = (typeof STEPS)[number]

export const VERDICTS = ['passed', 'asked', 'refused', 'skipped', 'unreached'] as const
export type StepVerdict = (typeof VERDICTS)[number]

type Fix = { operation: string; body?: Record<string, unknown> }
export type ExplainedStep = {
  step: StepName
  verdict: StepVerdict
  code: string | null
  because?: string
  facts?: Record<string, unknown>
  fix?: Fix
}
export type Finding = Omit<ExplainedStep, 'step'>

/** The request to /auth. */
export type Asked = {
  accountId: string | undefined
  acr: 'mfa' | undefined
  scopes: string[]
  redirectUri: string | undefined
}

/** A system as its settings decide a sign-in. */
export type ExplainedSystem = {
  id: string
  clientId: string
  platform: boolean
  open: boolean
  multiAccount: boolean
  requireEmailOtp: boolean
  requireMfa: boolean
  requireAdminActivation: boolean
  skipConsent: boolean
  redirectUris: string[]
  allowedScopes: string[]
}

type KnownPassword = {
  id: string
  scope: string | null
  createdAt: Date
  expiresAt: Date | null
  isExpired: boolean
}

/** A user as the reader of the explanation may know them. */
export type KnownUser = OwingUser & {
  id: string
  createdAt: Date | undefined
  disabledBy: 'platform' | 'system' | null
  password: KnownPassword | null
  passkeys: number
  identities: number
}

/** Everything that decides, without what the reader must not know. `hidden`: steps that are not shown. */
export type Situation = {
  reader: Authority
  hidden: ReadonlySet<StepName>
  system: ExplainedSystem
  asked: Asked
  user: KnownUser | undefined
  /** An unconfirmed registration of the address, if there is no user. */
  waiting: { registeredAt: Date; expiresAt: Date } | undefined
  memberships: SelectableMembership[]
  details: Detail[]
  consents: Record<string, Consented>
  offers: Offer[]
  isEntryAsked: boolean
  throttledUntil: string | null
  session: { openedAt: string; endedAt: string | null; endReason: string | null } | null
}

export const passed = (code: string, facts?: Record<string, unknown>): Finding => ({
  verdict: 'passed',
  code,
  ...(facts && { facts }),
})
export const skipped = (code: string): Finding => ({ verdict: 'skipped', code })
export const refused = (code: string, more: Partial<Finding> = {}): Finding => ({
  verdict: 'refused',
  code,
  ...more,
})
export const asked = (code: string, more: Partial<Finding> = {}): Finding => ({
  verdict: 'asked',
  code,
  ...more,
})
