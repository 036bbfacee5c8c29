/**
 * What the OpenAPI document says of the pages of a sign-in, and of those that mailed links lead to. Each
 * takes a form or JSON, and answers with a page or with JSON.
 */
import { type TSchema, Type } from 'typebox'
import { failures, problem } from '../../errors.ts'
import { Anything, answer, type Description, FORM_OR_JSON, Html, json, optional } from './answers.ts'

const Step = Type.Object(
  {
    step: Type.String({ description: 'What is owed: see docs/sign-in.md.' }),
    action: Type.String({ description: 'Where to POST the fields.' }),
    system: Type.Object({
      name: Type.String(),
      logoUrl: Type.Optional(Type.String()),
      color: Type.Optional(Type.String()),
    }),
    fields: Type.Array(Anything),
    errors: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
  },
  { additionalProperties: true },
)
const Location = Type.Object({ location: Type.String({ description: 'Where the sign-in goes on.' }) })
const shown = (description: string) => answer(description, { 'text/html': Html, 'application/json': Step })

const Csrf = {
  csrf: Type.Optional(Type.String({ description: 'From the page; a form has to have it, JSON does not.' })),
}

/**
 * A step is sent as a form and answered by a redirect, or sent as JSON and answered as
 * JSON by who accepts only that.
 */
const step = (summary: string, fields: Record<string, TSchema>) => ({
  summary,
  consumes: FORM_OR_JSON,
  body: Type.Object({ ...fields, ...Csrf }),
  response: {
    200: json('Done, for who asked for JSON.', Location),
    303: { description: 'Done.', type: 'null' },
    400: shown('The step again, with what is wrong.'),
    ...failures('csrf_rejected', 'interaction_not_found'),
    409: json('Another step is owed. Forms are redirected to it.', Location),
  },
})

const show: Description = {
  operationId: 'showStep',
  summary: 'Show the step that is owed',
  description: 'A page, or with `Accept: application/json` what is needed to draw one.',
  response: { 200: shown('The step.'), ...failures('interaction_not_found') },
}

const throttled = (description: string) => ({
  429: answer(`${description} \`Retry-After\` says when to try again.`, {
    'text/html': Html,
    'application/problem+json': problem(['too_many_requests']),
  }),
})

const password = step('Submit e-mail address and password', { email: Type.String(), password: Type.String() })
const logIn = {
  ...password,
  operationId: 'logIn',
  response: {
    ...password.response,
    401: shown('The step again: the address or the password is wrong.'),
    ...throttled('Too many were wrong: this attempt was not judged.'),
  },
}

const Again = {
  passwordAgain: Type.Optional(Type.String({ description: 'The same once more, for the slips of a hand.' })),
}

const INTERACTION: Record<string, Description> = {
  'GET /interaction/:uid': show,
  'POST /interaction/:uid/login': logIn,
  'POST /interaction/:uid/change-password': {
    ...step('Choose a password in the place of the one an administrator has set', {
      password: Type.String(),
      ...Again,
    }),
    operationId: 'changePassword',
  },
  'POST /interaction/:uid/account': {
    ...step('Choose the account', { accountId: Type.String() }),
    operationId: 'chooseAccount',
  },
  'POST /interaction/:uid/consent': {
    ...step('Allow or deny the access', { decision: Type.Optional(Type.Enum(['deny'])) }),
    operationId: 'consent',
  },
  'POST /interaction/:uid/abort': { ...step('Leave the sign-in', {}), operationId: 'leave' },
}

const Passkey = Type.Optional(
  Type.String({
    description: 'What navigator.credentials made of the options of the step, in JSON; or the object itself.',
  }),
)
const Code = Type.Optional(Type.String({ description: 'Six digits.' }))
/** A step whose answer may be wrong, or tried too often. */
const checked = (operationId: string, summary: string, fields: Record<string, TSchema>, wrong: string) => {
  const described = step(summary, fields)
  const response = { ...described.response, 401: shown(`The step again: ${wrong}.`) }
  return {
    ...described,
    operationId,
    response: { ...response, ...throttled('Too many were wrong: this one was not judged.') },
  }
}
const PASSKEY = step('Sign in with a passkey in the place of the password', { passkey: Passkey })
const ENROL = step('Enrol a first second factor', {
  passkey: Passkey,
  code: Code,
  name: optional('Of the passkey.'),
})
const Enrolled = Type.Object({
  ...Location.properties,
  recoveryCodes: Type.Array(Type.String(), { description: 'Shown now and never again.' }),
})

const FACTORS: Record<string, Description> = {
  'POST /interaction/:uid/passkey': {
    ...PASSKEY,
    operationId: 'logInWithPasskey',
    response: { ...PASSKEY.response, 401: shown('The step again: the passkey opens nothing.') },
  },
  'POST /interaction/:uid/email-otp': checked(
    'proveMailedCode',
    'Submit the code that was mailed, or ask for another',
    { code: Code, resend: optional('`yes`: mail another code, once a minute and ten times in an hour.') },
    'the code is wrong or no longer good',
  ),
  'POST /interaction/:uid/second-factor': checked(
    'proveFactor',
    'Show a second factor: one of the three',
    {
      passkey: Passkey,
      code: Code,
      recoveryCode: optional('One of the ten that were shown when the first factor was enrolled.'),
    },
    'what was sent is wrong or was used already',
  ),
  'POST /interaction/:uid/enrol': {
    ...ENROL,
    operationId: 'enrolFactor',
    response: {
      ...ENROL.response,
      200: answer('Enrolled. The page and the answer have the recovery codes.', {
        'text/html': Html,
        'application/json': Enrolled,
      }),
      401: shown('The step again: the first code is wrong.'),
    },
  },
}

/** A form that leads away from the login, and what it answers: another page of the same sign-in. */
const aside = (operationId: string, summary: string, closed: boolean): Description => ({
  operationId,
  summary,
  response: {
    200: shown('The form.'),
    ...failures('interaction_not_found', ...(closed ? (['not_found'] as const) : [])),
  },
})
const asked = (description: string) => ({
  200: shown(description),
  400: shown('The form again, with what is wrong.'),
  ...throttled('Too many were sent from this network.'),
})

const SAME = 'It is the same whether the address has a user or not: the mail tells which.'
const REGISTER = step('Register', {
  email: Type.String(),
  password: Type.String(),
  name: Type.Optional(Type.String({ maxLength: 100 })),
  accountName: Type.Optional(
    Type.String({ maxLength: 100, description: 'Of the account, in a system with multiAccount.' }),
  ),
})
const VERIFY = step('Go on once the address is confirmed', {
  registration: optional('From the answer to a registration, in the same sign-in.'),
  resend: Type.Optional(Type.String({ description: '`yes`: send the mail again.' })),
})
const FORGOT = step('Ask for a link to another password', { email: Type.String() })

const NEWCOMERS: Record<string, Description> = {
  'GET /interaction/:uid/register': aside('showRegistration', 'Show the form to register', true),
  'POST /interaction/:uid/register': {
    ...REGISTER,
    operationId: 'register',
    description: `Where people may register (allowSelfRegister). ${SAME}`,
    response: {
      ...REGISTER.response,
      ...asked('`verify_email`: the address waits for the mail.'),
      ...failures('csrf_rejected', 'interaction_not_found', 'not_found'),
    },
  },
  'POST /interaction/:uid/verify-email': {
    ...VERIFY,
    operationId: 'goOnVerified',
    response: {
      ...VERIFY.response,
      200: answer('Done, for who asked for JSON; or the step again, when the mail was sent again.', {
        'text/html': Html,
        'application/json': Type.Union([Location, Step]),
      }),
      ...throttled('Too many were sent from this network.'),
    },
  },
  'POST /interaction/:uid/join': {
    ...step('Become a member, or not', {
      accountName: Type.Optional(
        Type.String({ maxLength: 100, description: 'In a system with multiAccount.' }),
      ),
      decision: Type.Optional(Type.Enum(['deny'])),
    }),
    operationId: 'join',
  },
  'GET /interaction/:uid/forgot-password': aside(
    'showForgotPassword',
    'Show the form to ask for another password',
    false,
  ),
  'POST /interaction/:uid/forgot-password': {
    ...FORGOT,
    operationId: 'forgotPassword',
    description: SAME,
    response: {
      ...FORGOT.response,
      ...asked('`password_reset_sent`: if there is such a user, the mail is on its way.'),
    },
  },
}

/** What a browser does, from the page of the sign-in and back to it. */
const SOCIAL: Record<string, Description> = {
  'GET /social/login': {
    operationId: 'beginSocial',
    summary: 'Go to another identity provider',
    description: 'Also at `/social/{provider}/login` and `/{provider}/login`.',
    tags: ['social'],
    querystring: Type.Object({
      uid: Type.String({ description: 'Of the sign-in.' }),
      provider: Type.Optional(Type.String({ description: 'May be left out when there is one only.' })),
    }),
    response: {
      303: { description: 'To the provider.', type: 'null' },
      ...failures('not_found', 'interaction_not_found', 'provider_unavailable'),
    },
  },
  'GET /social/callback': {
    operationId: 'endSocial',
    summary: 'Come back from another identity provider',
    description:
      'Also at `/social/{provider}/callback`, which is the one that providers are given, and `/{provider}/callback`.',
    tags: ['social'],
    querystring: Type.Object({
      provider: Type.Optional(Type.String()),
      state: Type.Optional(Type.String()),
      code: Type.Optional(Type.String()),
      error: Type.Optional(Type.String()),
      error_description: Type.Optional(Type.String()),
    }),
    response: {
      303: { description: 'The sign-in goes on.', type: 'null' },
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
    operationId: 'showLink',
    summary: 'Go on as who has come back from another identity provider',
    tags: ['social'],
    response: {
      200: shown('`link_identity`: an account has to be opened with its password before it is linked.'),
      303: { description: 'The sign-in goes on.', type: 'null' },
      ...failures('interaction_not_found'),
    },
  },
  'POST /interaction/:uid/social': {
    ...logIn,
    operationId: 'linkIdentity',
    summary: 'Link an account by its password',
    tags: ['social'],
  },
}

const Token = Type.String({ description: 'From the mailed link.' })
const Done = Type.Object({ step: Type.String() })

/** A mailed link: to open it changes nothing, the form behind it uses it. */
const opened = (operationId: string, summary: string): Description => ({
  operationId,
  summary,
  tags: ['interaction'],
  querystring: Type.Object({ token: Token }),
  response: { 200: shown('The form, and what it takes.'), ...failures('link_invalid', 'link_expired') },
})
const used = (
  operationId: string,
  summary: string,
  fields: Record<string, TSchema>,
  description?: string,
): Description => ({
  operationId,
  summary,
  ...(description && { description }),
  tags: ['interaction'],
  consumes: FORM_OR_JSON,
  body: Type.Object({ token: Token, ...fields }),
  response: {
    200: answer('Done.', { 'text/html': Html, 'application/json': Done }),
    ...failures('link_invalid', 'csrf_rejected', 'link_expired'),
  },
})

const RECOVERY: Record<string, Description> = {
  'GET /reset-password': opened('showReset', 'Show the form of a reset link'),
  'POST /reset-password': used(
    'resetPassword',
    'Set the password a reset link is for',
    { password: Type.String(), ...Again },
    'Signs the user out everywhere and verifies the address; gives no session. A password that is refused is a 400 with the form, and the link stays good.',
  ),
  'GET /verify-email': opened('showVerification', 'Show the form of a verification link'),
  'POST /verify-email': used('verifyEmail', 'Verify the address a link was mailed to', {}),
  'GET /change-email': opened('showEmailChange', 'Show the form of a link that changes an address'),
  'POST /change-email': used(
    'confirmEmailChange',
    'Confirm another address, from the one side',
    {},
    '`email_changed`, or `email_change_waiting` until the link to the other address is used too.',
  ),
}

export const SIGN_IN: Record<string, Description> = {
  ...INTERACTION,
  ...FACTORS,
  ...NEWCOMERS,
  ...SOCIAL,
  ...RECOVERY,
}
