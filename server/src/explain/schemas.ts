/** The JSON of an explanation. */
import { Type } from 'typebox'
import { Email, Id, Nullable, oneOf, Time, TokenClaims } from '../http/schemas.ts'
import { STEPS, VERDICTS } from './situation.ts'

const Any = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

export const ExplainQuery = Type.Object({
  userId: Type.Optional(Id),
  email: Type.Optional(Email),
  systemId: Type.Optional(Id),
  accountId: Type.Optional(Id),
  acr: Type.Optional(
    oneOf(['mfa'], { description: '`mfa`: the application requests a second factor (`acr_values`).' }),
  ),
  scope: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: 'The scopes that the application requests. Default: all that the system allows.',
    }),
  ),
  redirectUri: Type.Optional(
    Type.String({ maxLength: 2_000, description: 'The `redirect_uri` that the application sends.' }),
  ),
  requestId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description:
        'The id of a request, as an error page shows it: user, system and account are read from the audit log.',
    }),
  ),
})

const Step = Type.Object(
  {
    step: oneOf(STEPS, { title: 'ExplainedStepName' }),
    verdict: oneOf(VERDICTS, {
      title: 'Verdict',
      description:
        '`asked`: the user has to do something. `refused`: the sign-in ends here. `skipped`: does not apply, or is not shown to the caller (`not_shown`). `unreached`: after a refusal, or after an answer of the user that is not known.',
    }),
    code: Nullable(Type.String({ description: 'The reason of the verdict; null for `unreached`.' })),
    because: Type.Optional(Type.String({ description: 'The setting or state that requires it.' })),
    facts: Type.Optional(Any),
    fix: Type.Optional(
      Type.Object(
        {
          operation: Type.String({ description: 'Method and path of an operation that the caller may use.' }),
          body: Type.Optional(Any),
        },
        { title: 'Fix' },
      ),
    ),
  },
  { title: 'ExplainedStep' },
)

const Attempt = Type.Object(
  {
    time: Time,
    action: Type.String(),
    outcome: Type.String(),
    reason: Nullable(Type.String()),
    ip: Nullable(Type.String()),
    requestId: Nullable(Type.String()),
  },
  { title: 'SignInAttempt' },
)

export const Explanation = Type.Object(
  {
    outcome: oneOf(['granted', 'interaction', 'refused'], {
      title: 'SignInOutcome',
      description: '`interaction`: the user has to do something, and is then signed in.',
    }),
    code: Nullable(
      Type.String({
        description: 'Step and code of the decisive step: `membership_pending`. Null if granted.',
      }),
    ),
    at: Time,
    complete: Type.Boolean({
      description: 'False if steps are not shown, because their facts are outside of the caller’s authority.',
    }),
    steps: Type.Array(Step),
    request: Nullable(
      Type.Object(
        { time: Time, action: Type.String(), reason: Nullable(Type.String()) },
        { title: 'ExplainedRequest' },
      ),
    ),
    attempts: Type.Array(Attempt, {
      description: 'The last attempts of the user in this system, newest first.',
    }),
    token: Nullable(TokenClaims, {
      description: 'The claims of an access token that the user would get now; null if that is not known.',
    }),
  },
  { title: 'Explanation' },
)
