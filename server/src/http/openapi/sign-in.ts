/**
 * Schemas of the steps of a sign-in, and of the pages that links in emails open. Each takes a form or JSON,
 * and responds with a page or with JSON.
 */
import { type TSchema, Type } from 'typebox'
import { type FailureCode, FieldError, failures } from '../../errors.ts'
import {
  Anything,
  answer,
  type Description,
  HtmlBody,
  JSON_BODY,
  json,
  optionalText,
} from './response-schemas.ts'

const Text = Type.String()
const Step = Type.Object(
  {
    step: Type.String({ description: 'The name of the step: docs/sign-in.md.' }),
    action: Type.String({ description: 'The path to which the fields are sent by POST.' }),
    system: Type.Object(
      {
        name: Text,
        logoUrl: Type.Optional(Text),
        logoDarkUrl: Type.Optional(Text),
        faviconUrl: Type.Optional(Text),
        color: Type.Optional(Text),
      },
      { title: 'SignInSystem' },
    ),
    fields: Type.Array({ ...Anything, title: 'SignInField' }, { description: 'The fields to show.' }),
    errors: Type.Array(FieldError, {
      description: 'What is wrong with the last submission; `path` is the name of a field, or `form`.',
    }),
  },
  { additionalProperties: true, title: 'SignInStep' },
)
const Location = Type.Object(
  { location: Type.String({ description: 'The path where the sign-in continues.' }) },
  { title: 'SignInLocation' },
)
const shown = (description: string) =>
  answer(description, { 'text/html': HtmlBody, 'application/json': Step })
const redirected = (description: string) => ({ description, type: 'null' })

const Csrf = {
  csrf: optionalText('The CSRF token of the page. Required in a form, ignored in JSON.'),
}
const Again = { passwordAgain: optionalText('The password, repeated.') }
const Email = Type.String({ description: 'The email address.' })
const Password = Type.String({ description: 'The password.' })
const Code = optionalText('Six digits.')
const Passkey = optionalText(
  'The credential from `navigator.credentials` as JSON. In a JSON body it can be the object itself.',
)
const AccountName = optionalText('The name of the account, in a system with `multiAccount`.')

/** A form responds with a redirect; JSON with `Accept: application/json` responds with JSON. */
const step = (operationId: string, fields: Record<string, TSchema>) => ({
  operationId,
  consumes: JSON_BODY,
  body: Type.Object({ ...fields, ...Csrf }),
  response: {
    200: json('The step is complete (JSON).', Location),
    303: redirected('The step is complete (form).'),
    400: shown('The step again, with what is wrong.'),
    ...failures('csrf_rejected', 'interaction_not_found'),
    409: json('Another step is required. A form is redirected to it.', Location),
  } as Record<number, unknown>,
})

/** A step whose input can be wrong, and is limited. */
const checked = (
  operationId: string,
  fields: Record<string, TSchema>,
  wrong: string,
  ...more: FailureCode[]
) => {
  const described = step(operationId, fields)
  const response = {
    ...described.response,
    401: shown(`The step again: ${wrong}.`),
    ...failures('too_many_requests', ...more),
  }
  return { ...described, response }
}

/** A form beside the login. */
const form = (operationId: string, closed: boolean): Description => ({
  operationId,
  response: {
    200: shown('The form.'),
    ...failures('interaction_not_found', ...(closed ? (['not_found'] as const) : [])),
  },
})

/** A step that sends an email. */
const mailed = (
  operationId: string,
  fields: Record<string, TSchema>,
  description: string,
  closed: boolean,
) => {
  const described = step(operationId, fields)
  const response = {
    ...described.response,
    200: shown(description),
    ...failures('too_many_requests', 'interaction_not_found', ...(closed ? (['not_found'] as const) : [])),
  }
  return { ...described, response }
}

const WRONG_PASSWORD = 'the email address or the password is wrong'
const credentials = { email: Email, password: Password }
const ENROLL = step('enrollFactor', {
  passkey: Passkey,
  code: Code,
  name: optionalText('The name of the passkey.'),
})
const OFFER = step('answerPasskeyOffer', {
  passkey: Passkey,
  name: optionalText('The name of the passkey.'),
  decision: Type.Optional(Type.Enum(['later'])),
})
const Enrolled = Type.Object(
  {
    ...Location.properties,
    recoveryCodes: Type.Array(Text, { description: 'Only in this response.' }),
  },
  { title: 'EnrolledFactor' },
)

const Answered = Type.Object(
  { ...Location.properties, recoveryCodes: Type.Optional(Enrolled.properties.recoveryCodes) },
  { title: 'AnsweredPasskeyOffer' },
)
const CanMakePasskeys = optionalText('`yes`: the device can create a passkey, which is offered at the end.')

const VERIFY_EMAIL = checked(
  'submitVerificationCode',
  {
    registration: optionalText('From the response to the registration, in the same sign-in.'),
    code: Code,
    resend: optionalText('`yes` sends another email.'),
    passkeys: CanMakePasskeys,
  },
  'the code is wrong or expired',
)

const SHARE = step('shareTestSignIn', {})

const STEPS: Record<string, Description> = {
  'GET /interaction/:uid': {
    operationId: 'getSignInStep',
    response: { 200: shown('The current step.'), ...failures('interaction_not_found') },
  },
  'POST /interaction/:uid/login': checked(
    'submitPassword',
    { ...credentials, passkeys: CanMakePasskeys },
    WRONG_PASSWORD,
  ),
  'POST /interaction/:uid/passkey': checked(
    'submitPasskey',
    { passkey: Passkey },
    'the passkey is not valid',
  ),
  'POST /interaction/:uid/email-otp': checked(
    'submitEmailCode',
    { code: Code, resend: optionalText('`yes` sends a new code.') },
    'the code is wrong or expired',
  ),
  'POST /interaction/:uid/second-factor': checked(
    'submitSecondFactor',
    { passkey: Passkey, code: Code, recoveryCode: optionalText('One of the ten recovery codes.') },
    'the factor is wrong or was used already',
  ),
  'POST /interaction/:uid/enrol': {
    ...ENROLL,
    response: {
      ...ENROLL.response,
      200: answer('The factor was enrolled. The response contains the recovery codes.', {
        'text/html': HtmlBody,
        'application/json': Enrolled,
      }),
      401: shown('The step again: the code is wrong.'),
    },
  },
  'POST /interaction/:uid/change-password': step('submitNewPassword', { password: Password, ...Again }),
  'POST /interaction/:uid/account': step('chooseAccount', {
    accountId: Type.String({ description: 'The id of the account.' }),
  }),
  'POST /interaction/:uid/consent': step('submitConsent', { decision: Type.Optional(Type.Enum(['deny'])) }),
  'POST /interaction/:uid/share': { ...SHARE, response: { ...SHARE.response, ...failures('link_expired') } },
  'POST /interaction/:uid/another': step('useAnotherUser', {}),
  'POST /interaction/:uid/passkey-name': step('namePasskey', {
    name: Type.Optional(Type.String({ description: '1 to 64 characters; an invalid name is ignored.' })),
  }),
  'POST /interaction/:uid/passkey-offer': {
    ...OFFER,
    response: {
      ...OFFER.response,
      200: answer(
        'The passkey was created. The response contains recovery codes, if it is the first factor.',
        {
          'text/html': HtmlBody,
          'application/json': Answered,
        },
      ),
    },
  },
  'POST /interaction/:uid/abort': step('cancelSignIn', {}),
  'POST /interaction/:uid/join': step('submitJoin', {
    accountName: AccountName,
    decision: Type.Optional(Type.Enum(['deny'])),
  }),
  'GET /interaction/:uid/register': form('getRegistrationForm', true),
  'POST /interaction/:uid/register': mailed(
    'register',
    {
      ...credentials,
      name: optionalText('The name of the user, at most 100 characters.'),
      accountName: AccountName,
    },
    'The step `verify_email`: the address is to be verified.',
    true,
  ),
  'POST /interaction/:uid/verify-email': VERIFY_EMAIL,
  'GET /interaction/:uid/forgot-password': form('getForgotPasswordForm', false),
  'POST /interaction/:uid/forgot-password': mailed(
    'requestPasswordReset',
    { email: Email },
    'The step `password_reset_sent`.',
    false,
  ),
}

const CONTINUED = redirected('The sign-in continues.')
const SOCIAL: Record<string, Description> = {
  'GET /social/login': {
    operationId: 'startSocialSignIn',
    querystring: Type.Object({
      uid: Type.String({ description: 'The id of the sign-in.' }),
      provider: optionalText('The id of the identity provider. Optional if there is only one.'),
    }),
    response: {
      303: redirected('The redirect to the identity provider.'),
      ...failures('not_found', 'interaction_not_found', 'provider_unavailable'),
    },
  },
  'GET /social/callback': {
    operationId: 'completeSocialSignIn',
    querystring: Type.Object({
      provider: optionalText('The id of the identity provider.'),
      state: optionalText('The state of the request.'),
      code: optionalText('The authorization code.'),
      error: optionalText('The error code.'),
      error_description: optionalText('The explanation of the error.'),
    }),
    response: {
      303: CONTINUED,
      ...failures(
        'provider_answer_invalid',
        'provider_refused',
        'provider_state_invalid',
        'not_found',
        'provider_unavailable',
      ),
    },
  },
  'GET /interaction/:uid/social': {
    operationId: 'getLinkForm',
    response: {
      200: shown('The step `link_identity`.'),
      303: CONTINUED,
      ...failures('interaction_not_found', 'identity_conflict'),
    },
  },
  'POST /interaction/:uid/social': checked('linkIdentity', credentials, WRONG_PASSWORD, 'identity_conflict'),
}

const Token = Type.String({ description: 'The token of the link.' })
const Done = Type.Object({ step: Type.String({ description: 'The result.' }) }, { title: 'UsedLink' })

/** A link in an email: GET shows the form, POST uses the link. */
const opened = (operationId: string, ...more: FailureCode[]): Description => ({
  operationId,
  querystring: Type.Object({ token: Token }),
  response: { 200: shown('The form.'), ...failures('link_invalid', 'link_expired', ...more) },
})
const used = (operationId: string, fields: Record<string, TSchema>, ...more: FailureCode[]): Description => ({
  operationId,
  consumes: JSON_BODY,
  body: Type.Object({ token: Token, ...fields }),
  response: {
    200: answer('The link was used.', { 'text/html': HtmlBody, 'application/json': Done }),
    ...failures('link_invalid', 'csrf_rejected', 'link_expired', ...more),
  },
})

const RECOVERY: Record<string, Description> = {
  'GET /reset-password': opened('getPasswordResetForm'),
  'POST /reset-password': used('resetPassword', { password: Password, ...Again }),
  'GET /confirm-registration': opened('getRegistrationLinkForm'),
  'POST /confirm-registration': used('confirmRegistration', { password: Password, ...Again }),
  'GET /verify-email': opened('getVerificationForm'),
  'POST /verify-email': used('verifyEmail', {}),
  'GET /change-email': opened('getEmailChangeForm', 'link_requires_sign_in'),
  'POST /change-email': used('confirmEmailChange', {}, 'link_requires_sign_in'),
}

export const SIGN_IN: Record<string, Description> = { ...STEPS, ...SOCIAL, ...RECOVERY }
