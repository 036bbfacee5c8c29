/**
 * What a person reads, in text and in HTML, in the language of the user. Names that others chose come in on one line
 * and escaped: they can't add a header, a paragraph or a link.
 */
import type { Letter } from './send.ts'
import { en, es, pt, type Texts } from './words.ts'

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
/** The name of the system for which an administrator acts, if any. */
type System = string | undefined

/** To a user whose password was changed: by an administrator, by a mailed link, or by themselves at a sign-in. */
export const passwordChanged = (
  reader: Reader,
  by: Extract<keyof Texts, 'byAdministrator' | 'byLink' | 'atSignIn' | 'onOwnPages'>,
  system?: System,
): Letter => news(reader, 'password_changed', 'passwordChanged', by, system)

export const passwordReset = (reader: Reader, system: System): Letter =>
  news(reader, 'password_reset_by_admin', 'passwordReset', 'resetByAdministrator', system)

export const mfaRemoved = (reader: Reader, system: System): Letter =>
  news(reader, 'mfa_removed', 'mfaRemoved', 'mfaRemovedLead', system)

/** `provider`: by its name. */
export const identityAdded = (reader: Reader, system: System, provider: string): Letter =>
  news(reader, 'identity_added', 'identityAdded', 'identityAddedLead', system, { provider }, 'notYou')

export const identityRemoved = (reader: Reader, system: System, provider: string): Letter =>
  news(reader, 'identity_removed', 'identityRemoved', 'identityRemovedLead', system, { provider })

/** To who has unlinked a provider on their own pages. */
export const identityUnlinked = (reader: Reader, provider: string): Letter =>
  news(reader, 'identity_removed', 'identityRemoved', 'identityUnlinkedLead', undefined, { provider }, 'notYou')

/** `life` is the link's own, in seconds: later there is nothing to send. */
export const passwordResetLink = (reader: Reader, system: System, href: string, life: number): Letter =>
  compose(reader, { kind: 'password_reset', subject: 'resetLink', system, expiresIn: life }, [
    'resetLinkLead',
    { href, label: 'resetLinkAction' },
    'resetLinkNotAsked',
  ])

export const verificationLink = (reader: Reader, system: System, href: string, life: number): Letter =>
  compose(reader, { kind: 'email_verification', subject: 'verification', system, expiresIn: life }, [
    'verificationLead',
    { href, label: 'verificationAction' },
    'verificationNotAsked',
  ])

/** To who has just registered. */
export const registrationLink = (reader: Reader, system: System, href: string, life: number): Letter =>
  compose(reader, { kind: 'email_verification', subject: 'verification', system, expiresIn: life }, [
    'registrationLead',
    { href, label: 'registrationAction' },
    'registrationNotAsked',
  ])

/** To who has an account, when somebody registers with the address. */
export const accountExists = (reader: Reader, system: System, href: string, life: number): Letter =>
  compose(reader, { kind: 'account_exists', subject: 'accountExists', system, expiresIn: life }, [
    'accountExistsLead',
    { href, label: 'resetLinkAction' },
    'accountExistsNotAsked',
  ])

/** To the address that an account is to have; `reader` with that one. Whose account it is, a stranger does not learn. */
export const emailChangeLink = (reader: Reader, href: string, life: number): Letter =>
  compose(reader, { kind: 'email_change', subject: 'emailChange', system: undefined, expiresIn: life }, [
    'emailChangeLead',
    { href, label: 'emailChangeAction' },
    'verificationNotAsked',
  ])

/** To the address that the account has. `address`: the one it is to have. */
export const emailAllowLink = (reader: Reader, address: string, href: string, life: number): Letter =>
  compose(
    reader,
    { kind: 'email_change_allow', subject: 'emailChangeAllow', system: undefined, expiresIn: life, values: { address } },
    ['emailChangeAllowLead', { href, label: 'emailChangeAllowAction' }, 'emailChangeNotAsked'],
  )

/** To both addresses of a user whose address was changed: what the one reads is not what the other does. */
export const emailChanged = (before: Reader, after: Reader, by: '' | 'ByAdministrator', system?: System): Letter[] => [
  news(before, 'email_changed', 'emailChanged', `emailLeft${by}`, system, { address: after.email }),
  news(after, 'email_changed', 'emailChanged', `emailTaken${by}`, system),
]

/** `life` is the code's own, in seconds. */
export const codeLetter = (reader: Reader, system: System, code: string, life: number): Letter =>
  compose(reader, { kind: 'mailed_code', subject: 'mailedCode', system, expiresIn: life }, [
    'mailedCodeLead',
    { code },
    'mailedCodeNotAsked',
  ])

export const factorAdded = (reader: Reader, kind: 'totp' | 'passkey', system: System): Letter =>
  news(reader, 'factor_added', `${kind}Added`, `${kind}AddedLead`, system, {}, 'notYou')

export const factorRemoved = (reader: Reader, kind: 'totp' | 'passkey', system?: System): Letter =>
  news(reader, 'factor_removed', `${kind}Removed`, `${kind}RemovedLead`, system, {}, 'notYou')

/** `ip`: where from. */
export const signedInElsewhere = (reader: Reader, system: System, ip: string): Letter =>
  news(reader, 'new_place', 'signedIn', 'signedInLead', system, { ip }, 'notYou')

export const recoveryCodeUsed = (reader: Reader, system: System, left: number): Letter =>
  news(reader, 'recovery_code_used', 'recoveryCodeUsed', 'recoveryCodeUsedLead', system, { left: String(left) }, 'notYou')

type NamingSystem = { [Key in keyof Texts]: `${Key}For` extends keyof Texts ? Key : never }[keyof Texts]
/** The links of a person's own pages are for no system. */
type Subject = NamingSystem | 'emailChange' | 'emailChangeAllow'
type Part = keyof Texts | { href: string; label: keyof Texts } | { code: string }
type About = { kind: string; subject: Subject; system: System; expiresIn: number; values?: Record<string, string> | undefined }

const news = (
  reader: Reader,
  kind: string,
  subject: Subject,
  lead: keyof Texts,
  system: System,
  values?: Record<string, string>,
  advice: keyof Texts = 'notExpected',
): Letter => compose(reader, { kind, subject, system, expiresIn: NEWS_LIFE, values }, [lead, advice])

function compose({ id, email, locale }: Reader, { kind, subject, system, expiresIn, values }: About, parts: Part[]): Letter {
  const language = languageOf(locale)
  const texts = TEXTS[language]
  const say = (key: keyof Texts) => fill(texts[key], { ...values, email, system: system ?? '' })
  const title = say(system === undefined ? subject : (`${subject as NamingSystem}For` as const))
  const lines = parts.map((part) => (typeof part === 'string' ? say(part) : 'code' in part ? part.code : part.href))
  const blocks = parts.map((part) => {
    if (typeof part === 'string') return paragraph(say(part))
    return 'code' in part ? bigCode(part.code) : button(part.href, say(part.label))
  })
  const content = { subject: title, text: `${[title, ...lines].join('\n\n')}\n`, html: page(language, title, blocks) }
  return { kind, recipient: email, userId: id, expiresIn, ...content }
}

/** Control characters, line ends, and what turns the direction of writing. */
const UNRULY = /[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu

const fill = (text: string, values: Record<string, string>) =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => (values[name] ?? '').replace(UNRULY, ' '))

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const paragraph = (text: string) => `<p style="margin:0 0 16px">${escaped(text)}</p>`

const bigCode = (code: string) =>
  `<p style="margin:24px 0;font:600 32px/1.25 ui-monospace,Menlo,Consolas,monospace;letter-spacing:0.15em">${escaped(code)}</p>`

/** The address stands below it too, for who reads where a button does not work. */
const button = (href: string, label: string) =>
  `<p style="margin:24px 0 16px"><a class="button" href="${escaped(href)}" style="display:inline-block;padding:12px 20px;border-radius:10px;background:#1c1c21;color:#ffffff;font-weight:600;text-decoration:none">${escaped(label)}</a></p>
<p style="margin:0 0 24px;font-size:13px"><a class="address" href="${escaped(href)}" style="color:#5d5e67">${escaped(href)}</a></p>`

/** Styles stand in the elements because mail programs drop stylesheets; who keeps them gets the dark colours as well. */
function page(language: Language, title: string, blocks: string[]): string {
  const body = blocks.join('\n')
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>
@media (prefers-color-scheme: dark) {
  .page { background: #101012 !important }
  .card { background: #18181c !important; border-color: #2e2e34 !important; color: #ededf0 !important }
  .button { background: #ededf0 !important; color: #17171a !important }
  .address { color: #a5a6b1 !important }
}
</style>
</head>
<body class="page" style="margin:0;padding:32px 16px;background:#f6f6f8">
<div class="card" style="max-width:480px;margin:0 auto;padding:32px;box-sizing:border-box;background:#ffffff;border:1px solid #e4e4e9;border-radius:12px;color:#18181b;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;overflow-wrap:anywhere">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3;font-weight:600">${escaped(title)}</h1>
${body}
</div>
</body>
</html>
`
}
