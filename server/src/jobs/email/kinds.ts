/**
 * The kinds of emails that an application can have texts of its own for. The names of the values that these
 * texts can contain are documented (docs/emails.md), so none changes its meaning.
 */

/** The name of a value in a text of an application, and the placeholder of our own texts that has it. */
const VALUES = {
  application: 'system',
  email: 'email',
  organization: 'account',
  inviter: 'inviter',
  expiry: 'expiry',
  provider: 'provider',
  left: 'left',
  member: 'member',
} as const
export type ValueName = keyof typeof VALUES

export const placeholderOf = (name: string): string | undefined =>
  Object.hasOwn(VALUES, name) ? VALUES[name as ValueName] : undefined

/** `by`: the lowest authority that writes the texts. `names`: of the values. `button`: whether it has one. */
type EmailKind = { by: 'platform' | 'system'; names: readonly ValueName[]; button: boolean }

const notice = { by: 'platform', names: ['application', 'email'], button: false } as const
const link = { by: 'platform', names: ['application', 'email'], button: true } as const

/**
 * The platform alone writes the texts of an email whose link or code is valid beyond the system, of a notice
 * of security, and of one that goes to people who are no members: a system could ask them for something in
 * the name of the installation. A system writes what goes to its active members.
 */
export const EMAIL_KINDS = {
  password_reset: link,
  email_verification: link,
  registration: link,
  user_exists: link,
  invitation: {
    by: 'platform',
    names: ['application', 'email', 'organization', 'inviter', 'expiry'],
    button: true,
  },
  mailed_code: notice,
  access_approved: { by: 'system', names: ['application', 'email', 'organization'], button: true },
  access_requested: {
    by: 'system',
    names: ['application', 'email', 'organization', 'member'],
    button: true,
  },
  password_changed: notice,
  password_reset_by_admin: notice,
  email_changed: notice,
  new_device: notice,
  factor_added: notice,
  factor_removed: notice,
  mfa_removed: notice,
  recovery_code_used: { by: 'platform', names: ['application', 'email', 'left'], button: false },
  identity_added: { by: 'platform', names: ['application', 'email', 'provider'], button: false },
  identity_removed: { by: 'platform', names: ['application', 'email', 'provider'], button: false },
} as const satisfies Record<string, EmailKind>

export type OwnKind = keyof typeof EMAIL_KINDS
export const OWN_KINDS = Object.keys(EMAIL_KINDS) as OwnKind[]

/** Of no application, or without texts of its own. */
type PlainKind =
  | 'connection_certificates'
  | 'domain_lapsed'
  | 'email_change'
  | 'email_change_allow'
  | 'exempt_sign_in'
  | 'member_exempt'
  | 'recovery_codes_renewed'
  | 'test'
export type MailKind = OwnKind | PlainKind

export const kindOf = (kind: OwnKind): EmailKind => EMAIL_KINDS[kind]
export const isOwnKind = (kind: string): kind is OwnKind => Object.hasOwn(EMAIL_KINDS, kind)
