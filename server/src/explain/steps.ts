/**
 * The steps of a sign-in of one user to one system from a new browser, each with its verdict. What a step
 * requires is decided by the functions of the real sign-in (oidc/policy/owed.ts).
 */
import { AAL2 } from '../authentication/assurance.ts'
import type { OwnProof } from '../authentication/proofs.ts'
import { ranksAbove } from '../http/authority.ts'
import { chooseAccount, type Offer } from '../oidc/policy/account-choice.ts'
import { grantedOf } from '../oidc/policy/consent.ts'
import {
  accountRequiringMfa,
  canJoin,
  confirmedByCode,
  isEmailCodeRequired,
  isEmailRequired,
  isEntryRequired,
  isFactorRequired,
  mustChangePassword,
  type Owing,
  refusalOf,
} from '../oidc/policy/owed.ts'
import type { SelectableMembership } from '../resources/sessions/queries.ts'
import type { Detail } from './queries.ts'
import {
  asked,
  type ExplainedStep,
  type ExplainedSystem,
  type Finding,
  type KnownUser,
  passed,
  refused,
  type Situation,
  STEPS,
  type StepName,
  skipped,
} from './situation.ts'

/** The state of the sign-in after the login with the credential that the user most likely has. */
function owingOf(situation: Situation): Owing {
  const { system, user, asked: request, memberships } = situation
  const { accountId } = request
  return {
    client: { ...system, isBuiltIn: false },
    userId: user?.id,
    user,
    proofs: user ? [loginOf(user)] : [],
    loginTs: Math.floor(Date.now() / 1_000),
    authTime: Math.floor(Date.now() / 1_000),
    choice: chooseAccount(memberships, {
      multiAccount: system.multiAccount,
      requested: accountId,
      selected: undefined,
      lastAccount: null,
      offers: system.multiAccount ? situation.offers : [],
    }),
    isEntryAsked: situation.isEntryAsked,
    request: {
      maxAge: undefined,
      acrValues: request.acr === 'mfa' ? AAL2 : '',
      hasLoggedIn: true,
      hasAuthenticated: true,
      hasActed: true,
      registers: false,
      isDevice: false,
      asksConsent: false,
      scopes: request.scopes,
      claims: [],
    },
  }
}

function loginOf({ id: userId, password, passkeys }: KnownUser): OwnProof {
  const proof = { userId, scope: null, at: Date.now(), primary: true }
  if (password && !password.isExpired)
    return { ...proof, method: 'password', credential: password.id, scope: password.scope }
  return { ...proof, method: passkeys > 0 ? 'passkey' : 'social', credential: null }
}

/** The proof of a code or factor that an earlier step has asked for. */
const withProof = (owing: Owing, method: OwnProof['method']): Owing => ({
  ...owing,
  proofs: [
    ...owing.proofs,
    { userId: owing.userId ?? '', method, credential: null, scope: null, at: Date.now(), primary: false },
  ],
})

const userPath = ({ user }: Situation) => `/admin/users/${user?.id}`

/** Registered redirect URIs among the facts. */
const REGISTERED_MAX = 3

function clientOf({ system, asked: { redirectUri, scopes } }: Situation): Finding {
  if (redirectUri !== undefined && !isRegistered(redirectUri, system.redirectUris))
    return refused('redirect_uri', {
      facts: {
        sent: redirectUri,
        registered: system.redirectUris.slice(0, REGISTERED_MAX),
        closest: closestTo(redirectUri, system.redirectUris),
      },
      fix: {
        operation: `PATCH /admin/systems/${system.id}`,
        body: { redirectUris: [...system.redirectUris, redirectUri] },
      },
    })
  const more = scopes.filter((scope) => !system.allowedScopes.includes(scope))
  if (more.length > 0)
    return refused('scope', {
      facts: { notAllowed: more },
      fix: {
        operation: `PATCH /admin/systems/${system.id}`,
        body: { allowedScopes: [...system.allowedScopes, ...more] },
      },
    })
  return system.redirectUris.length > 0 ? passed('registered') : refused('no_redirect_uri')
}

/** An http loopback address is registered for every port (RFC 8252 section 7.3). */
const isRegistered = (uri: string, registered: readonly string[]): boolean =>
  registered.includes(uri) || registered.some((each) => withoutPort(each) === withoutPort(uri))

const withoutPort = (uri: string): string =>
  uri.replace(/^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\d+/, '$1')

/** The registered URI that has the longest beginning and end in common with another. */
function closestTo(uri: string, registered: readonly string[]): string | null {
  const common = (one: string) => {
    const length = Math.min(one.length, uri.length)
    let start = 0
    while (start < length && one[start] === uri[start]) start += 1
    let end = 0
    while (end < length - start && one.at(-1 - end) === uri.at(-1 - end)) end += 1
    return start + end
  }
  return registered.toSorted((one, other) => common(other) - common(one))[0] ?? null
}

function userOf(situation: Situation): Finding {
  const { user, waiting, reader } = situation
  if (!user && waiting)
    return refused('unverified', {
      facts: { registeredAt: waiting.registeredAt.toISOString(), expiresAt: waiting.expiresAt.toISOString() },
    })
  if (!user)
    return refused('unknown', reader === 'account' ? {} : { fix: { operation: 'POST /admin/users' } })
  const { disabledBy, createdAt } = user
  if (disabledBy === null) return passed('enabled', createdAt && { createdAt: createdAt.toISOString() })
  const fix = { operation: `PATCH ${userPath(situation)}`, body: { disabled: false } }
  return refused('disabled', {
    facts: { by: disabledBy },
    ...((reader === disabledBy || reader === 'platform') && { fix }),
  })
}

function credentialOf(situation: Situation): Finding {
  const { passkeys, identities, password } = situation.user!
  const facts = { ...(password && { changedAt: password.createdAt.toISOString() }), passkeys, identities }
  const reset = { operation: `POST ${userPath(situation)}/reset-password` }
  const isWithout = passkeys + identities === 0
  if (password?.isExpired && isWithout)
    return refused('temporary_expired', {
      facts: { ...facts, expiredAt: password.expiresAt?.toISOString() },
      fix: reset,
    })
  if (!password && isWithout)
    return refused('none', { fix: { operation: `POST ${userPath(situation)}/send-password-reset` } })
  if (password && !password.isExpired) return passed('password', facts)
  return passed(passkeys > 0 ? 'passkey' : 'identity', facts)
}

const throttleOf = ({ throttledUntil: until, user }: Situation): Finding =>
  until === null
    ? passed('free')
    : refused('waiting', {
        facts: { until: new Date(until).toISOString() },
        fix: { operation: `DELETE /admin/limits?userId=${user?.id}` },
      })

function addressOf(situation: Situation, owing: Owing): Finding {
  const fix = { operation: `POST ${userPath(situation)}/resend-verification` }
  if (isEmailRequired(owing))
    return confirmedByCode(owing).length > 0
      ? asked('confirm', { because: 'unconfirmed_credential' })
      : asked('verify', { because: 'join', fix })
  return situation.user?.emailVerified ? passed('verified') : skipped('unverified')
}

function passwordOf(situation: Situation, owing: Owing): Finding {
  const { password } = situation.user!
  if (mustChangePassword(owing))
    return asked('change', {
      because: 'set_by_administrator',
      ...(password?.expiresAt && { facts: { expiresAt: password.expiresAt.toISOString() } }),
    })
  return password ? passed('own') : skipped('none')
}

const codeOf = (_: Situation, owing: Owing): Finding =>
  isEmailCodeRequired(owing) ? asked('mailed', { because: 'requireEmailOtp' }) : skipped('not_asked')

function factorOf(situation: Situation, owing: Owing): Finding {
  const { system, user, asked: request, reader } = situation
  // Only the platform sees whether the user has a factor that is valid everywhere.
  const isShown = reader === 'platform' || user?.hasFactor === true
  if (!isFactorRequired(owing)) return skipped(isShown ? 'not_asked' : 'not_shown')
  const because = system.requireMfa
    ? 'requireMfa'
    : accountRequiringMfa(owing) !== undefined
      ? 'requireMfaOfAccount'
      : request.acr === 'mfa'
        ? 'acr'
        : 'enrolled'
  const fix = { operation: `POST ${userPath(situation)}/disable-mfa` }
  return user?.hasFactor
    ? asked('verify', { because, ...(reader !== 'account' && { fix }) })
    : asked(isShown ? 'enrol' : 'verify_or_enrol', { because })
}

/** The membership that decides: the requested one, the only one, or the newest of those that refuse. */
function decidingOf({ details, asked: { accountId } }: Situation, status?: string): Detail | undefined {
  const among = details.filter((each) => accountId === undefined || each.accountId === accountId)
  const sorted = among.toSorted((one, other) => Number(other.createdAt) - Number(one.createdAt))
  return sorted.find((each) => each.status === status) ?? sorted[0]
}

function membershipOf(situation: Situation, owing: Owing): Finding {
  const {
    system,
    details,
    asked: { accountId },
  } = situation
  const refusal = refusalOf(owing)
  const { choice } = owing
  if (choice?.kind === 'several' && choice.refusal)
    return asked('invited', { facts: { accounts: (choice.offers ?? []).map(offered) } })
  if (refusal === undefined) return passed('active')
  if (canJoin(owing))
    return asked('join', { facts: { becomes: system.requireAdminActivation ? 'pending' : 'active' } })
  const requested = refusal === 'foreign' ? details.find((each) => each.accountId === accountId) : undefined
  if (refusal === 'foreign' && !requested && details.length > 0) return passed('active') // the step `account` refuses
  const reason = refusal === 'foreign' ? (requested?.status ?? 'none') : refusal
  const deciding = decidingOf(situation, reason)
  if (reason === 'none' || !deciding) return refused('none', addFix(situation))
  return refused(reason, { facts: membershipFacts(deciding, system), ...activateFix(situation, deciding) })
}

const offered = ({ accountId: id, accountName: name }: Offer) => ({ id, name })

const membershipFacts = (
  { accountId, membershipId, status, suspendedBy, blockedBy, blockedAt, createdAt }: Detail,
  system: ExplainedSystem,
) => ({
  accountId,
  membershipId,
  since: (status === 'blocked' ? (blockedAt ?? createdAt) : createdAt).toISOString(),
  ...(status === 'blocked' && { by: blockedBy }),
  ...(status === 'suspended' && { by: suspendedBy[0] }),
  ...(status === 'pending' && system.requireAdminActivation && { by: 'requireAdminActivation' }),
})

const addFix = ({ user, system, reader }: Situation): Partial<Finding> =>
  reader === 'account'
    ? {}
    : { fix: { operation: 'POST /admin/memberships', body: { userId: user?.id, systemId: system.id } } }

/** Offered only to those who may activate the membership, or resume the account. */
function activateFix({ reader, system }: Situation, deciding: Detail): Partial<Finding> {
  const isSuspended = deciding.status === 'suspended'
  const by = isSuspended ? deciding.suspendedBy : deciding.blockedBy === null ? [] : [deciding.blockedBy]
  const isReserved =
    by.some((rank) => ranksAbove(reader).includes(rank)) ||
    (reader === 'account' && deciding.status === 'pending' && isActivatedAbove(system, deciding))
  const operation = isSuspended
    ? `PATCH /admin/accounts/${deciding.accountId}`
    : `PATCH /admin/memberships/${deciding.membershipId}`
  return isReserved ? {} : { fix: { operation, body: { status: 'active' } } }
}

const isActivatedAbove = (system: ExplainedSystem, { activatedAt }: Detail): boolean =>
  system.requireAdminActivation && activatedAt === null

function accountOf({ details, asked: { accountId } }: Situation, { choice }: Owing): Finding {
  if (choice?.kind === 'several')
    return asked('select', {
      facts: { accounts: choice.memberships.map(({ accountId: id, accountName: name }) => ({ id, name })) },
    })
  if (choice?.kind === 'selected')
    return passed(accountId ? 'requested' : 'only', { accountId: choice.membership.accountId })
  return refused('foreign', { facts: { accounts: details.length } })
}

function consentOf({ system, consents, asked: { scopes } }: Situation, owing: Owing): Finding {
  if (owing.choice?.kind !== 'selected') return skipped('not_asked')
  const { accountId } = owing.choice.membership
  const consented = system.skipConsent ? undefined : (consents[accountId] ?? { scopes: [], claims: [] })
  const enters = owing.proofs.some(({ primary, scope }) => primary && scope === null)
  const granted = grantedOf({ scopes, claims: [] }, { consented, withoutContact: !enters }).scopes
  const missing = scopes.filter((scope) => !granted.includes(scope))
  if (isEntryRequired(owing)) return asked('first_entry', { facts: { scopes: missing } })
  if (missing.length > 0) return asked('scopes', { facts: { scopes: missing } })
  return system.skipConsent ? skipped('not_asked') : passed('given')
}

function sessionOf({ session }: Situation): Finding {
  if (!session) return skipped('none')
  const facts = {
    openedAt: new Date(session.openedAt).toISOString(),
    ...(session.endedAt && {
      endedAt: new Date(session.endedAt).toISOString(),
      reason: session.endReason ?? 'expired',
    }),
  }
  return { verdict: 'skipped', code: session.endedAt ? 'ended' : 'open', facts }
}

const JUDGES: Record<StepName, (situation: Situation, owing: Owing) => Finding> = {
  client: clientOf,
  user: userOf,
  credential: credentialOf,
  throttle: throttleOf,
  address: addressOf,
  password: passwordOf,
  code: codeOf,
  factor: factorOf,
  membership: membershipOf,
  account: accountOf,
  consent: consentOf,
  session: sessionOf,
  token: () => passed('issued'),
}

/** What a step that the user has done changes for the later ones. */
function afterStep(owing: Owing, { step, verdict, code }: ExplainedStep): Owing {
  if (verdict !== 'asked') return owing
  if (step === 'code' || (step === 'address' && code === 'confirm')) return withProof(owing, 'mailedCode')
  return step === 'factor' ? withProof(owing, 'totp') : owing
}

/** The steps that depend on an answer which is not known: the account that the user selects or joins. */
const OPEN_ENDED = new Set(['join', 'invited', 'select'])

export function stepsOf(situation: Situation): {
  steps: ExplainedStep[]
  membership: SelectableMembership | undefined
} {
  let owing = owingOf(situation)
  let hasEnded = false
  const steps = STEPS.map((name): ExplainedStep => {
    if (hasEnded) return { step: name, verdict: 'unreached', code: null }
    const finding = situation.hidden.has(name) ? skipped('not_shown') : JUDGES[name](situation, owing)
    const step = { step: name, ...finding }
    owing = afterStep(owing, step)
    hasEnded = step.verdict === 'refused' || (step.verdict === 'asked' && OPEN_ENDED.has(step.code ?? ''))
    return step
  })
  const { choice } = owing
  return { steps, membership: !hasEnded && choice?.kind === 'selected' ? choice.membership : undefined }
}
