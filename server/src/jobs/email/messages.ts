/**
 * What a person reads, in text and in HTML (page.ts), in the language of the user. Names that others chose come in
 * on one line: they can't add a header or a paragraph.
 */
import type { Brand } from '../../ui/brand.ts'
import { en, es, pt, type Texts } from '../../ui/i18n/email.ts'
import type { EmailMessage } from './enqueue.ts'
import { type Block, page } from './layout.ts'

/** 3 days, in seconds: news of a change is worth telling that long. */
const NEWS_LIFE = 259_200

const TEXTS = { en, pt, es }
type Language = keyof typeof TEXTS

/** By the first part of a BCP 47 tag; English when it is none of ours. */
function languageOf(locale: string | null): Language {
  const language = locale?.toLowerCase().split(/[-_]/)[0] ?? ''
  return Object.hasOwn(TEXTS, language) ? (language as Language) : 'en'
}

export type Reader = { id: string; email: string; locale: string | null }
/** For which system it is written, if for any: it is named, and the letter looks like it. */
type System = Brand | undefined

/** To a user whose password was changed: by an administrator, by a mailed link, or by themselves at a sign-in. */
export const passwordChanged = (
  reader: Reader,
  by: Extract<keyof Texts, 'byAdministrator' | 'byLink' | 'atSignIn' | 'onOwnPages'>,
  system?: System,
): EmailMessage => news(reader, 'password_changed', 'passwordChanged', by, system)

export const passwordReset = (reader: Reader, system: System): EmailMessage =>
  news(reader, 'password_reset_by_admin', 'passwordReset', 'resetByAdministrator', system)

export const mfaRemoved = (reader: Reader, system: System): EmailMessage =>
  news(reader, 'mfa_removed', 'mfaRemoved', 'mfaRemovedLead', system)

/** `provider`: by its name. */
export const identityAdded = (reader: Reader, system: System, provider: string): EmailMessage =>
  news(reader, 'identity_added', 'identityAdded', 'identityAddedLead', system, { provider }, 'notYou')

export const identityRemoved = (reader: Reader, system: System, provider: string): EmailMessage =>
  news(reader, 'identity_removed', 'identityRemoved', 'identityRemovedLead', system, { provider })

/** To who has unlinked a provider on their own pages. */
export const identityUnlinked = (reader: Reader, provider: string): EmailMessage =>
  news(
    reader,
    'identity_removed',
    'identityRemoved',
    'identityUnlinkedLead',
    undefined,
    { provider },
    'notYou',
  )

/** `life` is the link's own, in seconds: later there is nothing to send. */
export const passwordResetLink = (reader: Reader, system: System, href: string, life: number): EmailMessage =>
  compose(reader, { kind: 'password_reset', subject: 'resetLink', system, expiresIn: life }, [
    'resetLinkLead',
    { href, label: 'resetLinkAction' },
    'resetLinkNotAsked',
  ])

export const verificationLink = (reader: Reader, system: System, href: string, life: number): EmailMessage =>
  compose(reader, { kind: 'email_verification', subject: 'verification', system, expiresIn: life }, [
    'verificationLead',
    { href, label: 'verificationAction' },
    'verificationNotAsked',
  ])

/** To who has just registered. */
export const registrationLink = (reader: Reader, system: System, href: string, life: number): EmailMessage =>
  compose(reader, { kind: 'email_verification', subject: 'verification', system, expiresIn: life }, [
    'registrationLead',
    { href, label: 'registrationAction' },
    'registrationNotAsked',
  ])

/** To who has an account, when somebody registers with the address. */
export const accountExists = (reader: Reader, system: System, href: string, life: number): EmailMessage =>
  compose(reader, { kind: 'account_exists', subject: 'accountExists', system, expiresIn: life }, [
    'accountExistsLead',
    { href, label: 'resetLinkAction' },
    'accountExistsNotAsked',
  ])

/** To the address that an account is to have; `reader` with that one. Whose account it is, a stranger does not learn. */
export const emailChangeLink = (reader: Reader, href: string, life: number): EmailMessage =>
  compose(reader, { kind: 'email_change', subject: 'emailChange', system: undefined, expiresIn: life }, [
    'emailChangeLead',
    { href, label: 'emailChangeAction' },
    'verificationNotAsked',
  ])

/** To the address that the account has. `address`: the one it is to have. */
export const emailChangeApprovalLink = (
  reader: Reader,
  address: string,
  href: string,
  life: number,
): EmailMessage =>
  compose(
    reader,
    {
      kind: 'email_change_allow',
      subject: 'emailChangeAllow',
      system: undefined,
      expiresIn: life,
      values: { address },
    },
    ['emailChangeAllowLead', { href, label: 'emailChangeAllowAction' }, 'emailChangeNotAsked'],
  )

/** To both addresses of a user whose address was changed: what the one reads is not what the other does. */
export const emailChanged = (
  before: Reader,
  after: Reader,
  by: '' | 'ByAdministrator',
  system?: System,
): EmailMessage[] => [
  news(before, 'email_changed', 'emailChanged', `emailLeft${by}`, system, { address: after.email }),
  news(after, 'email_changed', 'emailChanged', `emailTaken${by}`, system),
]

/** `life` is the code's own, in seconds. */
export const signInCode = (reader: Reader, system: System, code: string, life: number): EmailMessage =>
  compose(reader, { kind: 'mailed_code', subject: 'mailedCode', system, expiresIn: life }, [
    'mailedCodeLead',
    { code },
    'mailedCodeNotAsked',
  ])

export const factorAdded = (reader: Reader, kind: 'totp' | 'passkey', system: System): EmailMessage =>
  news(reader, 'factor_added', `${kind}Added`, `${kind}AddedLead`, system, {}, 'notYou')

export const factorRemoved = (reader: Reader, kind: 'totp' | 'passkey', system?: System): EmailMessage =>
  news(reader, 'factor_removed', `${kind}Removed`, `${kind}RemovedLead`, system, {}, 'notYou')

/** `ip`: where from. */
export const newSignIn = (reader: Reader, system: System, ip: string): EmailMessage =>
  news(reader, 'new_place', 'signedIn', 'signedInLead', system, { ip }, 'notYou')

export const recoveryCodeUsed = (reader: Reader, system: System, left: number): EmailMessage =>
  news(
    reader,
    'recovery_code_used',
    'recoveryCodeUsed',
    'recoveryCodeUsedLead',
    system,
    { left: String(left) },
    'notYou',
  )

export const recoveryCodesRenewed = (reader: Reader): EmailMessage =>
  news(
    reader,
    'recovery_codes_renewed',
    'recoveryCodesRenewed',
    'recoveryCodesRenewedLead',
    undefined,
    {},
    'notYou',
  )

type NamingSystem = { [Key in keyof Texts]: `${Key}For` extends keyof Texts ? Key : never }[keyof Texts]
/** The links of a person's own pages are for no system. */
type Subject = NamingSystem | 'emailChange' | 'emailChangeAllow'
type Part = keyof Texts | { href: string; label: keyof Texts } | { code: string }
type About = {
  kind: string
  subject: Subject
  system: System
  expiresIn: number
  values?: Record<string, string> | undefined
}

const news = (
  reader: Reader,
  kind: string,
  subject: Subject,
  lead: keyof Texts,
  system: System,
  values?: Record<string, string>,
  advice: keyof Texts = 'notExpected',
): EmailMessage => compose(reader, { kind, subject, system, expiresIn: NEWS_LIFE, values }, [lead, advice])

function compose(
  { id, email, locale }: Reader,
  { kind, subject, system, expiresIn, values }: About,
  parts: Part[],
): EmailMessage {
  const language = languageOf(locale)
  const texts = TEXTS[language]
  const say = (key: keyof Texts) => fill(texts[key], { ...values, email, system: system?.name ?? '' })
  const title = say(system === undefined ? subject : (`${subject as NamingSystem}For` as const))
  const lines = parts.map((part) =>
    typeof part === 'string' ? say(part) : 'code' in part ? part.code : part.href,
  )
  const blocks = parts.map((part): Block => {
    if (typeof part === 'string') return { text: say(part) }
    return 'code' in part ? part : { href: part.href, label: say(part.label) }
  })
  const sender = system && { ...system.branding, name: fill('{name}', { name: system.name }) }
  const html = page({ language, title, sender, blocks })
  return {
    kind,
    recipient: email,
    userId: id,
    expiresIn,
    subject: title,
    text: `${[title, ...lines].join('\n\n')}\n`,
    html,
  }
}

/** Control characters, line ends, and what turns the direction of writing. */
const UNRULY = /[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu

const fill = (text: string, values: Record<string, string>) =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => (values[name] ?? '').replace(UNRULY, ' '))
