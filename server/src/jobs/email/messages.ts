/**
 * The emails, in the language of the recipient, as content that is drawn in text and HTML when it is sent.
 * Names from outside are put on one line, so that they cannot add a header or a paragraph.
 */
import type { BrandedSystem } from '../../texts/brand.ts'
import { templateOf } from '../../texts/message.ts'
import { isMessage, unlinked } from '../../texts/names.ts'
import { type Locale, localeOfTag, textsOf, timeInUtc } from '../../texts/texts.ts'
import {
  changePassword,
  compose,
  type EmailTexts,
  NEWS_EXPIRES_IN,
  notification,
  type Part,
  type Reader,
  type Recipient,
  type SentFor,
} from './compose.ts'
import type { EmailMessage } from './email.ts'

export type { Reader } from './compose.ts'

/** The email to a user whose password an administrator or the user changed. */
export const passwordChanged = (
  reader: Reader,
  by: Extract<keyof EmailTexts, 'byAdministrator' | 'byLink' | 'atSignIn' | 'inSettings'>,
  system?: SentFor,
): EmailMessage =>
  notification(reader, {
    kind: 'password_changed',
    subject: 'passwordChanged',
    lead: by,
    system,
    advice: by === 'byAdministrator' ? 'notExpected' : 'notYou',
  })

export const passwordReset = (reader: Reader, system: SentFor): EmailMessage =>
  notification(reader, {
    kind: 'password_reset_by_admin',
    subject: 'passwordReset',
    lead: 'resetByAdministrator',
    system,
    advice: 'notExpected',
  })

export const mfaRemoved = (reader: Reader, system: SentFor): EmailMessage =>
  notification(reader, {
    kind: 'mfa_removed',
    subject: 'mfaRemoved',
    lead: 'mfaRemovedLead',
    system,
    advice: 'notExpected',
  })

/** `provider`: its display name. */
export const identityAdded = (reader: Reader, system: SentFor, provider: string): EmailMessage =>
  notification(reader, {
    kind: 'identity_added',
    subject: 'identityAdded',
    lead: 'identityAddedLead',
    system,
    values: { provider },
    advice: 'notYou',
  })

/** A connection of an organization, whose names are those that it has chosen. */
export function connectionLinked(
  reader: Reader,
  system: SentFor,
  names: { connection: string; account: string },
): EmailMessage {
  const account = organizationName(names.account, localeOfTag(reader.locale))
  return identityAdded(
    reader,
    system,
    isMessage(names.connection) ? account : `${unlinked(names.connection)} (${account})`,
  )
}

/** A name that could be a message is not shown to people who did not choose the organization. */
const organizationName = (name: string, locale: Locale): string =>
  unlinked(isMessage(name) ? templateOf(textsOf(locale, 'email').anOrganization) : name)

/** An administrator removed the identity. */
export const identityRemoved = (reader: Reader, system: SentFor, provider: string): EmailMessage =>
  notification(reader, {
    kind: 'identity_removed',
    subject: 'identityRemoved',
    lead: 'identityRemovedLead',
    system,
    values: { provider },
    advice: 'notExpected',
  })

/** The user removed the identity. */
export const identityUnlinked = (reader: Reader, provider: string): EmailMessage =>
  notification(reader, {
    kind: 'identity_removed',
    subject: 'identityRemoved',
    lead: 'identityUnlinkedLead',
    system: undefined,
    values: { provider },
    advice: 'notYou',
  })

/** `expiresIn`: lifetime of the link in seconds, here and below. The email is not sent after that. */
export const passwordResetEmail = (
  reader: Reader,
  system: SentFor,
  href: string,
  expiresIn: number,
): EmailMessage =>
  compose(reader, { kind: 'password_reset', subject: 'resetLink', system, expiresIn }, [
    'resetLinkLead',
    { href, label: 'resetLinkAction' },
    'resetLinkNotAsked',
  ])

export const verificationEmail = (
  reader: Reader,
  system: SentFor,
  href: string,
  expiresIn: number,
): EmailMessage =>
  compose(reader, { kind: 'email_verification', subject: 'verification', system, expiresIn }, [
    'verificationLead',
    { href, label: 'verificationAction' },
    'verificationNotAsked',
  ])

/** The email to the address of a new registration, which has no user yet. */
export const registrationCode = (
  reader: Recipient,
  system: SentFor,
  { code, href }: { code: string; href: string },
  expiresIn: number,
): EmailMessage =>
  compose(reader, { kind: 'registration', subject: 'registration', system, expiresIn }, [
    'registrationLead',
    { code },
    'registrationLinkLead',
    { href, label: 'registrationAction' },
    'registrationNotAsked',
  ])

/** The email to an existing user, after a registration with their address. */
export const userExists = (reader: Reader, system: SentFor, href: string, expiresIn: number): EmailMessage =>
  compose(reader, { kind: 'user_exists', subject: 'userExists', system, expiresIn }, [
    'userExistsLead',
    { href, label: 'resetLinkAction' },
    'userExistsNotAsked',
  ])

type InvitationValue = 'account' | 'inviter' | 'expiry'

export type InvitationShown = {
  accountName: string
  system: BrandedSystem
  /** Null: a service of the application. */
  inviter: { name: string | null; email: string } | null
  message: string | null
  expiresAt: Date
}

/** The reader is an address, which may have a user, and is no member. */
export function invitationEmail(
  reader: Recipient,
  { accountName, system, inviter, message, expiresAt }: InvitationShown,
  href: string,
  expiresIn: number,
): EmailMessage {
  const locale = localeOfTag(reader.locale)
  const named = inviter?.name ?? null
  const by = named === null || isMessage(named) ? (inviter?.email ?? null) : named
  const values = {
    account: organizationName(accountName, locale),
    inviter: unlinked(by ?? system.name),
    expiry: timeInUtc(expiresAt, locale),
  }
  const subject = by === null ? 'invited' : 'invitation'
  const words: Part<InvitationValue>[] = message === null ? [] : [{ words: message, by: 'invitationWords' }]
  return compose<InvitationValue>(reader, { kind: 'invitation', subject, system, expiresIn, values }, [
    'invitationLead',
    ...words,
    { href, label: 'invitationAction' },
    'invitationExpiry',
    'invitationNotExpected',
  ])
}

/** The email to the new address of a change (`reader.email`). It does not disclose the current address. */
export const emailChangeEmail = (reader: Reader, href: string, expiresIn: number): EmailMessage =>
  compose(reader, { kind: 'email_change', subject: 'emailChange', system: undefined, expiresIn }, [
    'emailChangeLead',
    { href, label: 'emailChangeAction' },
    'verificationNotAsked',
  ])

/** The email to the current address of a change. `address`: the new one. */
export const emailChangeApprovalEmail = (
  reader: Reader,
  address: string,
  href: string,
  expiresIn: number,
): EmailMessage =>
  compose(
    reader,
    {
      kind: 'email_change_allow',
      subject: 'emailChangeAllow',
      system: undefined,
      expiresIn,
      values: { address },
    },
    [
      'emailChangeAllowLead',
      { href, label: 'emailChangeAllowAction' },
      'emailChangeNotAsked',
      changePassword({ isMain: false }),
    ],
  )

/** The emails to the previous and the new address after a change; the two differ. */
export const emailChanged = (
  before: Reader,
  after: Reader,
  by: '' | 'ByAdministrator',
  system?: SentFor,
): EmailMessage[] => {
  const about = { kind: 'email_changed', subject: 'emailChanged', system, advice: 'notExpected' } as const
  return [
    notification(before, { ...about, lead: `emailLeft${by}`, values: { address: after.email } }),
    notification(after, { ...about, lead: `emailTaken${by}` }),
  ]
}

/** `expiresIn`: lifetime of the code in seconds. */
export const signInCode = (reader: Reader, system: SentFor, code: string, expiresIn: number): EmailMessage =>
  compose(reader, { kind: 'mailed_code', subject: 'mailedCode', system, expiresIn }, [
    'mailedCodeLead',
    { code },
    'mailedCodeNotAsked',
    changePassword({ isMain: false }),
  ])

export const factorAdded = (reader: Reader, kind: 'totp' | 'passkey', system: SentFor): EmailMessage =>
  notification(reader, {
    kind: 'factor_added',
    subject: `${kind}Added`,
    lead: `${kind}AddedLead`,
    system,
    advice: 'notYou',
  })

export const factorRemoved = (reader: Reader, kind: 'totp' | 'passkey', system?: SentFor): EmailMessage =>
  notification(reader, {
    kind: 'factor_removed',
    subject: `${kind}Removed`,
    lead: `${kind}RemovedLead`,
    system,
    advice: 'notYou',
  })

export const factorRemovedByAdministrator = (
  reader: Reader,
  kind: 'totp' | 'passkey',
  system: SentFor,
): EmailMessage =>
  notification(reader, {
    kind: 'factor_removed',
    subject: `${kind}Removed`,
    lead: `${kind}RemovedByAdministrator`,
    system,
    advice: 'notExpected',
  })

/** The email to a user who signed in from an unknown browser or network. */
export const newSignIn = (reader: Reader, system: SentFor, ip: string): EmailMessage =>
  notification(reader, {
    kind: 'new_device',
    subject: 'signedIn',
    lead: 'signedInLead',
    system,
    ip,
    ignore: true,
    advice: 'notYou',
  })

/** `left`: how many recovery codes remain. */
export const recoveryCodeUsed = (reader: Reader, system: SentFor, left: number): EmailMessage =>
  notification(reader, {
    kind: 'recovery_code_used',
    subject: 'recoveryCodeUsed',
    lead: 'recoveryCodeUsedLead',
    system,
    values: { left: String(left) },
    advice: 'notYou',
  })

export const recoveryCodesRenewed = (reader: Reader): EmailMessage =>
  notification(reader, {
    kind: 'recovery_codes_renewed',
    subject: 'recoveryCodesRenewed',
    lead: 'recoveryCodesRenewedLead',
    system: undefined,
    advice: 'notYou',
  })

/** `name`: of the installation. */
export const testMessage = (reader: Recipient, name: string, expiresIn: number): EmailMessage =>
  compose(
    reader,
    { kind: 'test', subject: 'test', system: undefined, expiresIn, values: { name: unlinked(name) } },
    ['testLead', 'testIgnore'],
  )

/**
 * The reader is a member who was approved. `account`: the organization, if there is one; `href`: of the
 * application.
 */
export function accessApproved(
  reader: Reader,
  system: BrandedSystem,
  { account, href }: { account: string | null; href: string | undefined },
): EmailMessage {
  const lead = account === null ? 'approvedLead' : 'approvedLeadIn'
  const values = { account: unlinked(account ?? system.name) }
  const about = { kind: 'access_approved', subject: 'approved', system, values } as const
  return compose(reader, { ...about, expiresIn: NEWS_EXPIRES_IN }, [
    lead,
    ...(href === undefined ? [] : [{ href, label: 'approvedAction' as const }]),
  ])
}

/**
 * The reader administers an organization or the application. `member`: the address of the member who waits;
 * `approves`: the reader is one who can approve.
 */
export function accessRequested(
  reader: Reader,
  system: BrandedSystem,
  { member, account, approves, href, isOperator = false }: Waiting,
): EmailMessage {
  const values = { member: unlinked(member), account: unlinked(account) }
  const about = {
    kind: 'access_requested',
    subject: 'waiting',
    system,
    values,
    isOurs: isOperator,
  } as const
  return compose(reader, { ...about, expiresIn: NEWS_EXPIRES_IN }, [
    'waitingLead',
    ...(approves ? [] : (['waitingElsewhere'] as const)),
    { href, label: approves ? ('waitingAction' as const) : ('waitingShow' as const) },
    'waitingOften',
  ])
}

/** `isOperator`: the reader is no member, and gets our texts whatever the system has written. */
export type Waiting = {
  member: string
  account: string
  approves: boolean
  href: string
  isOperator?: boolean
}
