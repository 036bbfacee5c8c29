/**
 * Tests of a sign-in (decision 0060): requests to /auth with the parameter `test`. The user authenticates and
 * selects the account as always. A step that would change something is not executed but named in the result.
 * The prompt `test` comes last and is never resolved, so that no session is opened and no code is issued.
 */
import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import { AAL2, acrOf } from '../../authentication/assurance.ts'
import { amrOf } from '../../authentication/proofs.ts'
import type { Db } from '../../database/database.ts'
import type { TestResult, TestStep } from '../../database/schema.ts'
import { readHandle } from '../../database/transaction.ts'
import { findOpenTest, findRightsOfMember } from '../../resources/test-sign-ins/queries.ts'
import { membershipClaims } from './claims.ts'
import {
  canJoin,
  confirmedByCode,
  isEmailRequired,
  isEntryRequired,
  isFactorRequired,
  mustChangePassword,
  type Owing,
  refusalOf,
} from './owed.ts'
import { owingOf } from './owing.ts'
import { isTest } from './requested.ts'

/** The prompts whose steps change the user, the membership or the consent. */
const CHANGING = ['create', 'verify_email', 'change_password', 'join', 'access', 'consent']

type IsRequired = (ctx: KoaContextWithOIDC) => Promise<boolean>

/** Tests skip these prompts. Returns whether the consent would be required. */
export function skipChanges(policy: interactionPolicy.DefaultPolicy): IsRequired {
  const consent = [...(policy.get('consent')?.checks ?? [])].map(({ check }) => check)
  for (const name of CHANGING)
    for (const check of policy.get(name)?.checks ?? []) {
      const isRequired = check.check
      check.check = (ctx) => !isTest(ctx) && isRequired(ctx)
    }
  return async (ctx) => (await Promise.all(consent.map((check) => check(ctx)))).some(Boolean)
}

/** The details of the prompt `test`. */
export type TestDetails = {
  steps: TestStep[]
  scopes: string[]
  /** The claims of the authentication; null if a step that is not executed would change them. */
  authentication: { acr: string; amr: string[] } | null
  /** Null if the sign-in does not get to a token. */
  membershipId: string | null
}

export const testPrompt = (db: Db, isConsentRequired: IsRequired) =>
  new interactionPolicy.Prompt(
    { name: 'test' },
    (ctx) => detailsOf(db, ctx, isConsentRequired),
    new interactionPolicy.Check('test', 'the sign-in is a test, which does not end', isTest),
  )

async function detailsOf(
  db: Db,
  ctx: KoaContextWithOIDC,
  isConsentRequired: IsRequired,
): Promise<TestDetails> {
  const owing = owingOf(ctx)
  const test = await findOpenTest(await readHandle(db), String(ctx.oidc.params?.test))
  const isOther = test?.userId != null && test.sharedAt === null && test.userId !== owing.userId
  const isSelected = owing.choice?.kind === 'selected'
  const steps = isOther
    ? [{ step: 'user', verdict: 'refused', code: 'another' } as const]
    : stepsOf(owing, isSelected && (await isConsentRequired(ctx)), ctx)
  const hasEnded = steps.some(({ verdict, code }) => verdict === 'refused' || code === 'confirm')
  const amr = amrOf(owing.proofs)
  return {
    steps,
    scopes: [...ctx.oidc.requestParamScopes],
    authentication: steps.some(({ step, verdict }) => step === 'factor' && verdict === 'asked')
      ? null
      : { acr: acrOf(amr), amr: [...amr] },
    membershipId:
      !hasEnded && owing.choice?.kind === 'selected' ? owing.choice.membership.membershipId : null,
  }
}

const passed = (step: TestStep['step'], code: string): TestStep => ({ step, verdict: 'passed', code })
const asked = (step: TestStep['step'], code: string): TestStep => ({ step, verdict: 'asked', code })
const skipped = (step: TestStep['step'], code: string): TestStep => ({ step, verdict: 'skipped', code })
const refused = (step: TestStep['step'], code: string): TestStep => ({ step, verdict: 'refused', code })

function stepsOf(owing: Owing, isConsentRequired: boolean, ctx: KoaContextWithOIDC): TestStep[] {
  const { client, user, proofs, choice } = owing
  const primary = proofs.find((proof) => proof.primary)?.method
  const credential = primary === 'password' || primary === 'passkey' ? primary : 'identity'
  const isCodeRequired = isEmailRequired(owing)
  const refusal = refusalOf(owing)
  const steps = [
    passed('credential', credential),
    isCodeRequired
      ? asked('address', confirmedByCode(owing).length > 0 ? 'confirm' : 'verify')
      : user?.emailVerified
        ? passed('address', 'verified')
        : skipped('address', 'unverified'),
    mustChangePassword(owing)
      ? asked('password', 'change')
      : credential === 'password'
        ? passed('password', 'own')
        : skipped('password', 'none'),
    client.requireEmailOtp ? passed('code', 'mailed') : skipped('code', 'not_asked'),
    factorOf(owing),
    canJoin(owing)
      ? asked('membership', 'join')
      : refusal === undefined
        ? passed('membership', 'active')
        : refused('membership', refusal),
  ]
  if (choice?.kind !== 'selected') return steps
  return [...steps, passed('account', accountCode(ctx)), consentOf(owing, isConsentRequired)]
}

function factorOf(owing: Owing): TestStep {
  if (isFactorRequired(owing)) return asked('factor', 'enrol')
  return acrOf(amrOf(owing.proofs)) === AAL2 ? passed('factor', 'verify') : skipped('factor', 'not_asked')
}

function accountCode(ctx: KoaContextWithOIDC): string {
  if (ctx.oidc.params?.account_id !== undefined) return 'requested'
  const result = ctx.oidc.result as { select_account?: object } | undefined
  return result?.select_account ? 'selected' : 'only'
}

function consentOf(owing: Owing, isRequired: boolean): TestStep {
  if (isEntryRequired(owing)) return asked('consent', 'first_entry')
  if (isRequired) return asked('consent', 'scopes')
  return owing.client.skipConsent ? skipped('consent', 'not_asked') : passed('consent', 'given')
}

/** The result of a test as it is now, and the name of the account. */
export async function testResultOf(
  db: Db,
  { steps, scopes, authentication, membershipId }: TestDetails,
  userId: string,
): Promise<TestResult & { accountName: string | undefined }> {
  const member = membershipId === null ? undefined : await findRightsOfMember(db, membershipId, userId)
  if (!member) return { steps, claims: null, accountName: undefined }
  const { sid: _, ...claims } = membershipClaims({ ...member, sid: undefined })
  return {
    steps,
    claims: {
      sub: userId,
      client_id: member.clientId,
      scope: scopes.join(' '),
      ...claims,
      ...authentication,
    },
    accountName: member.accountName,
  }
}
