/** The kinds of emails that the server sends. */
export const MAIL_KINDS = [
  'access_approved',
  'access_requested',
  'connection_certificates',
  'domain_lapsed',
  'email_change',
  'email_change_allow',
  'email_changed',
  'email_verification',
  'exempt_sign_in',
  'factor_added',
  'factor_removed',
  'identity_added',
  'identity_removed',
  'invitation',
  'mailed_code',
  'member_exempt',
  'mfa_removed',
  'new_device',
  'password_changed',
  'password_reset',
  'password_reset_by_admin',
  'recovery_code_used',
  'recovery_codes_renewed',
  'registration',
  'test',
  'user_exists',
]

/** The filters of the queue, by the names of the parameters. */
export const MAIL_FILTERS = ['status', 'kind'] as const
