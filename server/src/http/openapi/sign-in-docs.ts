/** Descriptions and examples of the steps of a sign-in, and of the pages that links in emails open. */
import { docsOf } from '../docs.ts'
import { EXAMPLE } from '../example.ts'

const UID = 'xQ3vT9mLk2Wc7Zb1'
const LOCATION = { location: `/auth/${UID}` }
const SYSTEM = { name: 'Ledger', color: '#336699' }
const FIELDS = [
  { name: 'email', type: 'email', required: true, value: '' },
  { name: 'password', type: 'password', required: true },
]
const step = (name: string, action: string, fields: object[], errors: object[] = []) => ({
  step: name,
  action: `/interaction/${UID}/${action}`,
  system: SYSTEM,
  fields,
  errors,
})
const LOGIN = step('login', 'login', FIELDS)
const EMAIL = { email: 'ana@acme.example' }
const PASSWORD = { password: 'correct horse battery staple' }
const CODE = { code: '492817' }
const TOKEN = { token: 'dJ8kQm2Vb7Nc5rHs9yGz4jFp6aEe1uRo0iXtYsAw3Lk' }
const NEUTRAL = `The response does not reveal whether a user has this address.`
const NEXT = `Responds with the \`location\` where the sign-in continues, or with a redirect to it.`

/** Examples of responses that all steps share. */
export const STEP_ERROR = {
  ...LOGIN,
  errors: [{ path: 'form', message: 'The email address or the password is wrong.' }],
}
export const STEP_ELSEWHERE = { location: `/interaction/${UID}` }

const SIGN_IN = docsOf('interaction', {
  getSignInStep: {
    summary: 'Get the current step',
    description: `Returns the step that the sign-in requires: a page, or with \`Accept: application/json\` the fields to show.
      Requires the cookie of the sign-in.`,
    success: 'The current step.',
    response: LOGIN,
  },
  submitPassword: {
    summary: 'Submit email address and password',
    description: `Verifies the password of a user. Repeated failures are delayed and then rejected for a while. ${NEXT}`,
    success: 'The password is correct.',
    request: { ...EMAIL, ...PASSWORD },
    response: LOCATION,
  },
  submitNewPassword: {
    summary: 'Submit a new password',
    description: `Replaces a password that an administrator has set. The other sessions of the user end. ${NEXT}`,
    success: 'The password was replaced.',
    request: { ...PASSWORD, passwordAgain: PASSWORD.password },
    response: LOCATION,
  },
  chooseAccount: {
    summary: 'Choose the account',
    description: `Selects the account of the tokens, for a user with several accounts in the system. ${NEXT}`,
    success: 'The account was selected.',
    request: { accountId: EXAMPLE.account },
    response: LOCATION,
  },
  submitConsent: {
    summary: 'Allow or deny access',
    description: `Grants the requested scopes to the application, or with \`decision\` \`deny\` ends the sign-in with
      \`access_denied\`. ${NEXT}`,
    success: 'The decision was recorded.',
    request: {},
    response: LOCATION,
  },
  shareTestSignIn: {
    summary: 'Share the result of a test',
    description: `Stores the result of a test of the sign-in, the step \`test\`, for the administrators of the system. Audit entry:
      \`test_sign_in.shared\`. Responds with the \`location\` of the page, or with a redirect to it.`,
    success: 'The result was shared.',
    request: {},
    response: STEP_ELSEWHERE,
  },
  useAnotherUser: {
    summary: 'Sign in as another user',
    description: `Returns the sign-in to the step \`login\` and keeps the request of the application. When the other user
      has authenticated, the first one is signed out of this browser. Not possible at the step \`login\`, and if the
      application has named the user that it expects by \`id_token_hint\` or the claim \`sub\`.`,
    success: 'The step `login` is required.',
    request: {},
    response: STEP_ELSEWHERE,
  },
  answerPasskeyOffer: {
    summary: 'Answer the offer of a passkey',
    description: `Creates a passkey that is valid everywhere, or with \`decision\` \`later\` continues without one: the user is
      not asked again for 30 days, and after three such answers not at all. Audit entry: \`user.factor_added\`. ${NEXT}`,
    success: 'The offer was answered.',
    request: { decision: 'later' },
    response: LOCATION,
  },
  namePasskey: {
    summary: 'Name a new passkey',
    description: `Changes the name of the passkey that \`enrollFactor\` or \`answerPasskeyOffer\` has enrolled in this sign-in.
      ${NEXT}`,
    success: 'The passkey has this name.',
    request: { name: 'Phone of Ana' },
    response: LOCATION,
  },
  cancelSignIn: {
    summary: 'Cancel the sign-in',
    description: 'Ends the sign-in. The application receives the error `access_denied`.',
    success: 'The sign-in was cancelled.',
    request: {},
    response: LOCATION,
  },
  submitPasskey: {
    summary: 'Sign in with a passkey',
    description: `Verifies a passkey in place of the password. ${NEXT}`,
    success: 'The passkey is valid.',
    request: { passkey: '{"id":"b64url","rawId":"b64url","type":"public-key","response":{}}' },
    response: LOCATION,
  },
  submitEmailCode: {
    summary: 'Submit a code from an email',
    description: `Verifies the code that was sent by email, or with \`resend\` sends a new one, at most once a minute and ten
      times an hour. ${NEXT}`,
    success: 'The code is correct.',
    request: CODE,
    response: LOCATION,
  },
  submitSecondFactor: {
    summary: 'Submit a second factor',
    description: `Verifies a passkey, a code of an authenticator app, or a recovery code. Each code can be used once. ${NEXT}`,
    success: 'The second factor is valid.',
    request: CODE,
    response: LOCATION,
  },
  enrollFactor: {
    summary: 'Enroll a second factor',
    description: `Enrolls the first second factor of a user, if the system or the application requires one. The response is the
      only one that contains the recovery codes.`,
    success: 'The factor was enrolled. The page or the JSON contains the recovery codes.',
    request: CODE,
    response: { ...LOCATION, recoveryCodes: ['k7m2-pqx9', 'htb4-naw3'] },
  },
  getRegistrationForm: {
    summary: 'Get the registration form',
    description: 'Returns the fields of a registration, if the system has `allowSelfRegister`.',
    success: 'The registration form.',
    response: step('register', 'register', FIELDS),
  },
  register: {
    summary: 'Register',
    description: `Sends an email with a code and a link, if the system has \`allowSelfRegister\`. The user is created when
      one of them is used. ${NEUTRAL}`,
    success: 'The email is queued. The step is `verify_email`.',
    request: { ...EMAIL, ...PASSWORD, name: 'Ana Souza' },
    response: step('verify_email', 'verify-email', []),
  },
  submitVerificationCode: {
    summary: 'Submit the code that verifies the address',
    description: `Verifies the emailed code. With \`registration\` this creates the user with the password of the
      registration; if the address has a user who can sign in by now, the step is \`login\`. With \`resend\` it sends
      another email. ${NEXT}`,
    success: 'The address is verified, or the email is queued again.',
    request: { registration: '0197c4a1-9a30-7c5e-8f0d-3b1f6a2e4d5c', ...CODE },
    response: LOCATION,
  },
  submitJoin: {
    summary: 'Become a member',
    description: `Creates a membership for a user who has none in the system, or with \`decision\` \`deny\` ends the sign-in.
      ${NEXT}`,
    success: 'The membership was created.',
    request: { accountName: 'Acme' },
    response: LOCATION,
  },
  getForgotPasswordForm: {
    summary: 'Get the password recovery form',
    description: 'Returns the fields with which a user requests a password reset email.',
    success: 'The password recovery form.',
    response: step('forgot_password', 'forgot-password', FIELDS.slice(0, 1)),
  },
  requestPasswordReset: {
    summary: 'Request a password reset email',
    description: `Sends an email with a link by which the user chooses a password. The link expires after 30 minutes.
      ${NEUTRAL}`,
    success: 'The email is queued if a user has this address. The step is `password_reset_sent`.',
    request: EMAIL,
    response: step('password_reset_sent', 'forgot-password', []),
  },
  getPasswordResetForm: {
    summary: 'Get the form of a password reset link',
    description: 'Returns the form that the link in the email opens. The link is not used by this request.',
    success: 'The form.',
    response: step('reset_password', 'reset-password', FIELDS.slice(1)),
  },
  resetPassword: {
    summary: 'Set the password by a link',
    description: `Sets the password, verifies the address and ends all sessions of the user. The link can be used once; a
      password that is not acceptable does not use it. No session is started.`,
    success: 'The password was set.',
    request: { ...TOKEN, ...PASSWORD },
    response: { step: 'password_reset' },
  },
  getRegistrationLinkForm: {
    summary: 'Get the form of a registration link',
    description: 'Returns the form that the link in the email opens. The link is not used by this request.',
    success: 'The form.',
    response: step('confirm_registration', 'confirm-registration', FIELDS.slice(1)),
  },
  confirmRegistration: {
    summary: 'Create the user of a registration by its link',
    description: `Creates the user with this password, the account and the membership. The link can be used once; a
      password that is not acceptable does not use it. If the address has a user who can sign in, nothing changes and
      the step is \`user_exists\`. No session is started.`,
    success: 'The user was created.',
    request: { ...TOKEN, ...PASSWORD },
    response: { step: 'user_created' },
  },
  getVerificationForm: {
    summary: 'Get the form of a verification link',
    description: 'Returns the form that the link in the email opens. The link is not used by this request.',
    success: 'The form.',
    response: step('verify_email', 'verify-email', []),
  },
  verifyEmail: {
    summary: 'Verify an email address by a link',
    description: 'Marks the email address as verified. The link can be used once.',
    success: 'The address is verified.',
    request: TOKEN,
    response: { step: 'email_verified' },
  },
  getEmailChangeForm: {
    summary: 'Get the form of an email change link',
    description: 'Returns the form that the link in the email opens. The link is not used by this request.',
    success: 'The form.',
    response: step('change_email', 'change-email', []),
  },
  confirmEmailChange: {
    summary: 'Confirm a change of the email address',
    description: `Confirms the change from the old or the new address; the link to the new one works only in a browser in
      which the user is signed in. The address changes when both are confirmed: the step is
      \`email_change_waiting\` before and \`email_changed\` then.`,
    success: 'The change is confirmed.',
    request: TOKEN,
    response: { step: 'email_changed' },
  },
})

const SOCIAL = docsOf('social', {
  startSocialSignIn: {
    summary: 'Start a sign-in at another identity provider',
    description: `Redirects the browser to the identity provider. Also at \`/social/{provider}/login\` and
      \`/{provider}/login\`.`,
    success: 'The redirect to the identity provider.',
  },
  completeSocialSignIn: {
    summary: 'Complete a sign-in at another identity provider',
    description: `Receives the response of the identity provider and continues the sign-in. Also at
      \`/social/{provider}/callback\`, the redirect URI that is registered at the provider, and \`/{provider}/callback\`.`,
    success: 'The redirect to the sign-in.',
  },
  getLinkForm: {
    summary: 'Continue as a user of another identity provider',
    description: `Continues the sign-in. If a user with the same address exists, the step is \`link_identity\`: the user
      enters the password before the identity is linked. \`identity_conflict\`: the provider states another address
      than before, or the user with the address is linked to another identity of the same issuer.`,
    success: 'The step `link_identity`.',
    response: step('link_identity', 'social', FIELDS),
  },
  linkIdentity: {
    summary: 'Link an identity by the password',
    description: `Verifies the password and links the identity to the user. ${NEXT}`,
    success: 'The identity was linked.',
    request: { ...EMAIL, ...PASSWORD },
    response: LOCATION,
  },
})

export const SIGN_IN_DOCS = { ...SIGN_IN, ...SOCIAL }
