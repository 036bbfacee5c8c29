/**
 * The proofs of a browser session (authentication/proofs.ts). Each request to /auth adds those of its steps
 * and decides which are valid for its client; `amr`, `acr` and the login time of the library's session are
 * those of the client.
 */
import type { Client, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { acrOf } from '../../authentication/assurance.ts'
import {
  type AccountProof,
  addProof,
  amrOf,
  authTimeOf,
  builtInProofs,
  loginTimeOf,
  type OwnProof,
  type Proof,
  undecidedProofs,
  validProofs,
  withReplaced,
  withUsed,
} from '../../authentication/proofs.ts'
import type { Scope } from '../../http/authority.ts'
import type { EnabledUser } from '../../resources/sign-ins/queries.ts'
import { isAccountClient } from '../clients/client.ts'
import { requestState, userIdOf } from './request-state.ts'

declare module 'oidc-provider' {
  interface Session {
    proofs?: Proof[]
    /** `authTimeOf` for the client of the request; not stored. */
    authenticatedAt?: number | undefined
  }
}

/**
 * Makes the library store the proofs with its browser sessions, and take `auth_time` of codes and tokens from
 * those that are valid for the client.
 */
export function storeProofs(provider: Provider): void {
  const Session = provider.Session as unknown as { IN_PAYLOAD: string[] }
  const stored = [...Session.IN_PAYLOAD, 'proofs']
  Object.defineProperty(Session, 'IN_PAYLOAD', { get: () => stored })
  provider.Session.prototype.authTime = function authTime() {
    return this.authenticatedAt
  }
}

/**
 * The system whose credentials are valid for a client. The built-in pages and the systems of the platform
 * accept only credentials that are valid everywhere.
 */
export const scopeOfClient = (client: Client | undefined): Scope =>
  !client || client.tenantry.platform ? null : client.tenantry.systemId

/** The results of the steps of a sign-in that verify something. */
export type ProofResults = {
  /**
   * `offersPasskey`: the sign-in offers a passkey at its end (passkey-offer.ts). `isFresh`: the provider of
   * an organization has authenticated the user in person since the sign-in began.
   */
  login?: { proof?: Proof; offersPasskey?: boolean; isFresh?: boolean }
  /** It has a proof if the code has confirmed credentials of this sign-in. */
  verify_email?: { proof?: Proof }
  email_otp?: { proof: Proof }
  second_factor?: { proof: Proof }
  /** The offer was answered. */
  passkey_offer?: Record<string, never>
  /** The ids of a replaced password and of the one that the user chose. */
  change_password?: { replaced: string; by: string }
}

type NewProof = Omit<OwnProof, 'userId' | 'at' | 'primary'>
/** `readAt`: when the user was read from the database, in the request that has verified the credential. */
type Owner = { id: string; readAt: number }

export const proofOf = ({ id, readAt }: Owner, proof: NewProof): OwnProof => ({
  ...proof,
  userId: id,
  at: readAt,
  primary: false,
})

/** The result of the login step. `ts`: steps after it submit it again, and it keeps its time. */
export const loginOf = (user: Owner, proof: NewProof) => ({
  accountId: user.id, // the library's name of the user id
  remember: true,
  ts: Math.floor(user.readAt / 1_000),
  proof: { ...proofOf(user, proof), primary: true },
})

/** The result of the login step of a user whom the connection of an organization has signed in. */
export const connectionLoginOf = (
  { at, ...proof }: Omit<AccountProof, 'method' | 'primary' | 'mfa' | 'loginAt' | 'usedAt' | 'until'>,
  {
    mfa,
    loginAt,
    until,
    isFresh,
  }: { [Name in 'mfa' | 'loginAt' | 'until']: AccountProof[Name] | undefined } & { isFresh: boolean },
) => ({
  accountId: proof.userId,
  remember: true,
  ts: Math.floor(at / 1_000),
  isFresh,
  proof: {
    ...{ ...proof, at, method: 'connection', primary: true },
    ...(mfa && { mfa }),
    ...(loginAt !== undefined && { loginAt }),
    ...(until !== undefined && { until }),
  } satisfies AccountProof as AccountProof,
})

/** Notes that the user has signed in to the client; a request without a user (`prompt=none`) is no use. */
export function markUsed(ctx: KoaContextWithOIDC): void {
  const { session, prompts } = ctx.oidc
  if (!session || prompts.has('none')) return
  session.proofs = withUsed(session.proofs ?? [], requestState(ctx).proofs)
}

/** Adds the proofs of the steps to the browser session and selects those that are valid for the client. */
export function applyProofs(ctx: KoaContextWithOIDC, user: EnabledUser): void {
  const { session } = ctx.oidc
  if (!session || userIdOf(session) !== user.id) return
  const {
    login,
    verify_email,
    email_otp,
    second_factor,
    change_password: changed,
  } = (ctx.oidc.result ?? {}) as ProofResults
  const given = [login?.proof, verify_email?.proof, email_otp?.proof, second_factor?.proof]
  const added = given.filter((proof) => proof !== undefined)
  if (added.length > 0) session.proofs = added.reduce(addProof, session.proofs ?? [])
  if (changed) session.proofs = withReplaced(session.proofs ?? [], changed)
  const known = session.proofs ?? []
  selectProofs(ctx, user, validIn(ctx, known, user))
}

function validIn(ctx: KoaContextWithOIDC, known: readonly Proof[], user: EnabledUser): readonly Proof[] {
  const { client } = ctx.oidc
  if (isAccountClient(client)) return builtInProofs(known, user)
  const systemId = scopeOfClient(client)
  const { links } = requestState(ctx)
  return systemId === null || links.length === 0
    ? validProofs(known, user, systemId)
    : undecidedProofs(known, { ...user, links }, systemId)
}

/** Selects the proofs that count from here on: of the system, or of the account once it is known. */
export function selectProofs(ctx: KoaContextWithOIDC, user: EnabledUser, proofs: readonly Proof[]): void {
  const { session } = ctx.oidc
  if (!session) return
  requestState(ctx).proofs = proofs
  const amr = amrOf(proofs)
  session.amr = amr
  session.acr = acrOf(amr)
  const loginTs = loginTimeOf(proofs)
  if (loginTs !== undefined) session.loginTs = loginTs
  session.authenticatedAt = authTimeOf(proofs, user)
}
