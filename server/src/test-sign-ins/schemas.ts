/** The JSON of tests of a sign-in. */
import { Type } from 'typebox'
import { TEST_STEPS } from '../database/schema.ts'
import { Id, Nullable, oneOf, pathId, Time, TokenClaims, timeOf } from '../http/schemas.ts'
import type { Test } from '../resources/test-sign-ins/queries.ts'

const systemId = pathId('system')
export const InSystem = Type.Object({ systemId })
export const OneTest = Type.Object({ systemId, testSignInId: pathId('testSignIn') })

const Acr = oneOf(['mfa'], {
  title: 'TestSignInAcr',
  description: '`mfa`: a second factor is requested (`acr_values`).',
})
const Prompt = oneOf(['login', 'select_account', 'consent'], {
  title: 'TestSignInPrompt',
  description: 'The parameter `prompt` of the request.',
})
const SCOPE = 'Scopes of the system, separated by spaces.'

export const CreateTest = Type.Object(
  {
    accountId: Type.Optional(
      Type.String({ format: 'uuid', description: 'The account that is requested (`account_id`).' }),
    ),
    scope: Type.Optional(
      Type.String({ maxLength: 1_000, description: `${SCOPE} Default: all that the system allows.` }),
    ),
    acr: Type.Optional(Acr),
    prompt: Type.Optional(Prompt),
    forUserId: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'A user of the system. The login form shows the address, and another user sees no result. Default: anyone.',
      }),
    ),
  },
  { title: 'CreateTestSignIn' },
)

export const CreatedTest = Type.Object(
  {
    id: Id,
    url: Type.String({
      description:
        'The address that the user opens in a browser. It contains a secret and is returned only here.',
    }),
    expiresAt: timeOf('Ten minutes after the creation.'),
  },
  { title: 'CreatedTestSignIn' },
)

const Step = Type.Object(
  {
    step: oneOf(TEST_STEPS, { title: 'TestSignInStepName' }),
    verdict: oneOf(['passed', 'asked', 'refused', 'skipped'], {
      description:
        '`asked`: a real sign-in would ask the user; the test did not. `refused`: a real sign-in ends here. `skipped`: not required.',
    }),
    code: Type.String({ description: 'The reason of the verdict.' }),
  },
  { title: 'TestSignInStep' },
)

const Result = Type.Object(
  {
    steps: Type.Array(Step),
    claims: Nullable(TokenClaims, {
      description:
        'The claims that an access token of the user would contain; null if the sign-in does not get that far. `acr` and `amr` are missing if the user would set up a second factor first.',
    }),
  },
  { title: 'TestSignInResult' },
)

export const TestSignIn = Type.Object(
  {
    id: Id,
    systemId: Id,
    status: oneOf(['open', 'shared', 'expired'], {
      description: '`open`: the user has not shared the result, and can until `expiresAt`.',
    }),
    accountId: Nullable(Id),
    scope: Type.String({ description: SCOPE }),
    acr: Nullable(Acr),
    prompt: Nullable(Prompt),
    forUserId: Nullable(Id),
    createdAt: Time,
    expiresAt: Time,
    sharedAt: Nullable(Time),
    result: Nullable(Result),
  },
  { title: 'TestSignIn' },
)

export const answerOf = ({ request, createdAt, expiresAt, sharedAt, ...test }: Test) => ({
  ...test,
  ...request,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
  sharedAt: sharedAt?.toISOString() ?? null,
})
