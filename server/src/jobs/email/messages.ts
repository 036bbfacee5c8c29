/**
 * The emails, each in text and HTML (layout.ts), in the language of the recipient. Names from outside are put
 * on one line, so that they cannot add a header or a paragraph.
 */
import type { Brand } from '../../texts/brand.ts'
import { type KeyOf, type Message, templateOf } from '../../texts/message.ts'
import { isMessage, onOneLine, senderName, unlinked } from '../../texts/names.ts'
import { type Catalog, LANGUAGE_TAGS, localeOfTag, textsOf, timeInUtc } from '../../texts/texts.ts'
import type { EmailMessage } from './enqueue.ts'
import { type EmailBlock, emailHtml } from './layout.ts'

/** 3 days, in seconds: a notification that could not be delivered by then is dropped. */
const NOTIFICATION_EXPIRES_IN = 259_200

type Texts = Catalog['email']
/** A text whose placeholders are the address of the reader, the system and `Name`. */
type TextKey<Name extends string = never> = KeyOf<Texts, 'email' | 'system' | Name>

/** A user, or without `id` an address that has none yet. */
type Recipient = { id?: string; email: string; locale: string | null }
export type Reader = Recipient & { id: string }
/** The system on whose behalf the email is sent, if any: the email names it and has its logo and color. */
type System = Brand | undefined

/** The email to a user whose password an administrator or the user changed. */
export const passwordChanged = (
  reader: Reader,
  by: Extract<keyof Texts, 'byAdministrator' | 'byLink' | 'atSignIn' | 'inSettings'>,
  system?: System,
): EmailMessage =>
  notification(reader, {
    kind: 'password_changed',
    subject: 'passwordChanged',
    lead: by,
    system,
    advice: by === 'byAdministrator' ? 'notExpected' : 'notYou',
  })

export const passwordReset = (reader: Reader, system: System): EmailMessage =>
  notification(reader, {
    kind: 'password_reset_by_admin',
    subject: 'passwordReset',
    lead: 'resetByAdministrator',
    system,
    advice: 'notExpected',
  })

export const mfaRemoved = (reader: Reader, system: System): EmailMessage =>
  notification(reader, {
    kind: 'mfa_removed',
    subject: 'mfaRemoved',
    lead: 'mfaRemovedLead',
    system,
    advice: 'notExpected',
  })

/** `provider`: its display name. */
export const identityAdded = (reader: Reader, system: System, provider: string): EmailMessage =>
  notification(reader, {
    kind: 'identity_added',
    subject: 'identityAdded',
    lead: 'identityAddedLead',
    system,
    values: { provider },
    advice: 'notYou',
  })

/** An administrator removed the identity. */
export const identityRemoved = (reader: Reader, system: System, provider: string): EmailMessage =>
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
  system: System,
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
  system: System,
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
  system: System,
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
export const userExists = (reader: Reader, system: System, href: string, expiresIn: number): EmailMessage =>
  compose(reader, { kind: 'user_exists', subject: 'userExists', system, expiresIn }, [
    'userExistsLead',
    { href, label: 'resetLinkAction' },
    'userExistsNotAsked',
  ])

export type InvitationShown = {
  accountName: string
  system: Brand
  /** Null: a service of the application. */
  inviter: { name: string | null; email: string } | null
  message: string | null
  expiresAt: Date
}

/** To an address, which may have a user, and is no member. */
export function invitationEmail(
  reader: Recipient,
  { accountName, system, inviter, message, expiresAt }: InvitationShown,
  href: string,
  expiresIn: number,
): EmailMessage {
  const locale = localeOfTag(reader.locale)
  const named = inviter?.name ?? null
  const by = named === null || isMessage(named) ? (inviter?.email ?? null) : named
  const account = isMessage(accountName) ? templateOf(textsOf(locale, 'email').anOrganization) : accountName
  const values = {
    account: unlinked(account),
    inviter: unlinked(by ?? system.name),
    expiry: timeInUtc(expiresAt, locale),
  }
  const subject = by === null ? 'invited' : 'invitation'
  const words: Part<'inviter'>[] = message === null ? [] : ['invitationWords', { words: message }]
  return compose(reader, { kind: 'invitation', subject, system, expiresIn, values }, [
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
    ['emailChangeAllowLead', { href, label: 'emailChangeAllowAction' }, 'emailChangeNotAsked'],
  )

/** The emails to the previous and the new address after a change; the two differ. */
export const emailChanged = (
  before: Reader,
  after: Reader,
  by: '' | 'ByAdministrator',
  system?: System,
): EmailMessage[] => {
  const about = { kind: 'email_changed', subject: 'emailChanged', system, advice: 'notExpected' } as const
  return [
    notification(before, { ...about, lead: `emailLeft${by}`, values: { address: after.email } }),
    notification(after, { ...about, lead: `emailTaken${by}` }),
  ]
}

/** `expiresIn`: lifetime of the code in seconds. */
export const signInCode = (reader: Reader, system: System, code: string, expiresIn: number): EmailMessage =>
  compose(reader, { kind: 'mailed_code', subject: 'mailedCode', system, expiresIn }, [
    'mailedCodeLead',
    { code },
    'mailedCodeNotAsked',
  ])

export const factorAdded = (reader: Reader, kind: 'totp' | 'passkey', system: System): EmailMessage =>
  notification(reader, {
    kind: 'factor_added',
    subject: `${kind}Added`,
    lead: `${kind}AddedLead`,
    system,
    advice: 'notYou',
  })

export const factorRemoved = (reader: Reader, kind: 'totp' | 'passkey', system?: System): EmailMessage =>
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
  system: System,
): EmailMessage =>
  notification(reader, {
    kind: 'factor_removed',
    subject: `${kind}Removed`,
    lead: `${kind}RemovedByAdministrator`,
    system,
    advice: 'notExpected',
  })

/** The email to a user who signed in from an unknown browser or network. */
export const newSignIn = (reader: Reader, system: System, ip: string): EmailMessage =>
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
export const recoveryCodeUsed = (reader: Reader, system: System, left: number): EmailMessage =>
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

/** Subjects with a form that names the system. */
type SystemSubject<Name extends string> = {
  [Key in TextKey<Name>]: `${Key}For` extends TextKey<Name> ? Key : never
}[TextKey<Name>]
/** A change of address is requested in the account settings, which belong to no system; nor does a test. */
type Subject<Name extends string> =
  | SystemSubject<Name>
  | Extract<TextKey<Name>, 'emailChange' | 'emailChangeAllow' | 'test'>

/** `Name`: the placeholders of the texts that `values` fills. */
type About<Name extends string> = {
  kind: string
  subject: Subject<Name>
  system: System
  values?: Readonly<Record<Name, string>>
}
type Notification<Name extends string> = About<Name> & {
  lead: TextKey<Name>
  advice: 'notExpected' | 'notYou'
  /** The IP address of the request. */
  ip?: string
  /** Whether the email also says that no action is required. */
  ignore?: boolean
}
type Part<Name extends string> =
  | TextKey<Name>
  | { href: string; label: TextKey }
  | { code: string }
  | { details: Detail[] }
  /** Words of a user. */
  | { words: string }
type Detail = { label: TextKey; value: string }

/** An email about a change or a sign-in: what happened, when, from where, and what to do. */
function notification<Name extends string = never>(
  reader: Reader,
  { lead, advice, ip, ignore, ...about }: Notification<Name>,
): EmailMessage {
  const details: Detail[] = [{ label: 'time', value: timeInUtc(new Date(), localeOfTag(reader.locale)) }]
  if (ip) details.push({ label: 'ipAddress', value: ip })
  const parts: Part<Name>[] = [lead, { details }, ...(ignore ? (['ignore'] as const) : []), advice]
  return compose(reader, { ...about, expiresIn: NOTIFICATION_EXPIRES_IN }, parts)
}

/**
 * An email from its texts: area `email` of server/locales. The subject is the text `subject`, or
 * `<subject>For`, which names the application, if there is one.
 */
function compose<Name extends string = never>(
  { id, email, locale: tag }: Recipient,
  { kind, subject, system, expiresIn, values }: About<Name> & { expiresIn: number },
  parts: Part<Name>[],
): EmailMessage {
  const locale = localeOfTag(tag)
  const texts = textsOf(locale, 'email')
  const name = unlinked(system?.name ?? '')
  const say = (key: keyof Texts) => fillLine(texts[key], { ...values, email, system: name })
  const title = say(system === undefined ? subject : (`${subject}For` as keyof Texts))
  const blocks = parts.map((part): EmailBlock => {
    if (typeof part === 'string') return { text: say(part) }
    if ('words' in part) return { text: onOneLine(part.words) }
    if ('details' in part)
      return { details: part.details.map(({ label, value }) => ({ label: say(label), value })) }
    return 'code' in part ? part : { href: part.href, label: say(part.label) }
  })
  const brand = system && { ...system.branding, name: onOneLine(name) }
  const sender = system && senderName(system.name)
  return {
    kind,
    recipient: email,
    ...(id !== undefined && { userId: id }),
    expiresIn,
    subject: title,
    text: `${[title, ...blocks.map(plainText)].join('\n\n')}\n`,
    html: emailHtml({ language: LANGUAGE_TAGS[locale], title, sender: brand, blocks }),
    ...(sender && { sender }),
  }
}

function plainText(block: EmailBlock): string {
  if ('text' in block) return block.text
  if ('code' in block) return block.code
  if ('href' in block) return block.href
  return block.details.map(({ label, value }) => `${label}: ${value}`).join('\n')
}

/** Fills the placeholders of a text with values that stay on one line. */
const fillLine = (text: Message<string>, values: Readonly<Record<string, string>>) =>
  templateOf(text).replace(/\{(\w+)\}/g, (_, name: string) => onOneLine(values[name] ?? ''))
