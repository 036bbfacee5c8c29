/** How an email is made of its texts, in text and HTML, with the brand of the application that it is from. */
import type { BrandedSystem } from '../../texts/brand.ts'
import { type KeyOf, type Message, templateOf } from '../../texts/message.ts'
import { onOneLine, senderName, unlinked } from '../../texts/names.ts'
import { type Catalog, LANGUAGE_TAGS, localeOfTag, textsOf, timeInUtc } from '../../texts/texts.ts'
import type { Draft, DraftBlock, EmailContent, EmailMessage } from './email.ts'
import type { MailKind } from './kinds.ts'
import { type EmailBlock, emailHtml } from './layout.ts'
import { fillOwn, type OwnTexts } from './own-texts.ts'

/** 3 days, in seconds: a notification that could not be delivered by then is dropped. */
const NOTIFICATION_EXPIRES_IN = 259_200
/** 3 days, in seconds: an email about an organization is dropped if it could not be delivered by then. */
export const NEWS_EXPIRES_IN = 259_200

export type EmailTexts = Catalog['email']
/** A text whose placeholders are the address of the reader, the system and `Name`. */
export type TextKey<Name extends string = never> = KeyOf<EmailTexts, 'email' | 'system' | Name>

/** A user, or without `id` an address that has none yet. */
export type Recipient = { id?: string; email: string; locale: string | null }
export type Reader = Recipient & { id: string }
/** The system on whose behalf the email is sent, if any: the email names it and has its logo and color. */
export type SentFor = BrandedSystem | undefined

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
  kind: MailKind
  subject: Subject<Name>
  system: SentFor
  /** Whether the application has no texts of its own for this reader. */
  isOurs?: boolean
  values?: Readonly<Record<Name, string>>
}
type Notification<Name extends string> = About<Name> & {
  lead: TextKey<Name>
  advice: 'notExpected' | 'notYou' | 'exemptSignInAdvice'
  /** The IP address of the request. */
  ip?: string
  /** Whether the email also says that no action is required. */
  ignore?: boolean
}
export type Part<Name extends string> =
  | TextKey<Name>
  | { href: string; label: TextKey }
  /** A page of this server; `isMain`: as a button. */
  | { page: string; label: TextKey; isMain: boolean }
  | { code: string }
  | { details: Detail[] }
  /** Words of a user, below a text that says so. */
  | { words: string; by: TextKey<Name> }
type Detail = { label: TextKey; value: string }

/** An email about a change or a sign-in: what happened, when, from where, and what to do. */
export function notification<Name extends string = never>(
  reader: Reader,
  { lead, advice, ip, ignore, ...about }: Notification<Name>,
): EmailMessage {
  const details: Detail[] = [{ label: 'time', value: timeInUtc(new Date(), localeOfTag(reader.locale)) }]
  if (ip) details.push({ label: 'ipAddress', value: ip })
  const parts: Part<Name>[] = [lead, { details }, ...(ignore ? (['ignore'] as const) : []), advice]
  if (advice === 'notYou') parts.push(changePassword({ isMain: true }))
  return compose(reader, { ...about, expiresIn: NOTIFICATION_EXPIRES_IN }, parts)
}

/** Below a text that says to change the password. */
export const changePassword = ({ isMain }: { isMain: boolean }) =>
  ({ page: '/account/password', label: 'changePasswordAction', isMain }) as const

/**
 * An email from its texts: area `email` of server/locales. The subject is the text `subject`, or
 * `<subject>For`, which names the application, if there is one.
 */
export function compose<Name extends string = never>(
  { id, email, locale: tag }: Recipient,
  { kind, subject, system, expiresIn, values, isOurs = false }: About<Name> & { expiresIn: number },
  parts: Part<Name>[],
): EmailMessage {
  const locale = localeOfTag(tag)
  const texts = textsOf(locale, 'email')
  const name = unlinked(system?.name ?? '')
  const all: Readonly<Record<string, string>> = { ...values, email, system: name }
  const say = (key: keyof EmailTexts) => fillLine(texts[key], all)
  const draft: Draft = {
    systemId: system?.id,
    isOurs,
    locale,
    title: say(system === undefined ? subject : (`${subject}For` as keyof EmailTexts)),
    blocks: parts.flatMap((part) => blocksOf(part, say)),
    brand: system && { ...system.branding, name: onOneLine(name) },
    values: all,
  }
  const sender = system && senderName(system.name)
  const about = { kind, recipient: email, ...(id !== undefined && { userId: id }), expiresIn, draft }
  return { ...about, ...(sender && { sender }) }
}

function blocksOf<Name extends string>(
  part: Part<Name>,
  say: (key: keyof EmailTexts) => string,
): DraftBlock[] {
  if (typeof part === 'string') return [{ text: say(part) }]
  if ('words' in part)
    return [
      { text: say(part.by), isKept: true },
      { text: onOneLine(part.words), isKept: true, isQuote: true },
    ]
  if ('details' in part)
    return [{ details: part.details.map(({ label, value }) => ({ label: say(label), value })) }]
  return ['code' in part ? part : { ...part, label: say(part.label) }]
}

/** The installation, as its emails show it. */
export type Installation = { name: string; baseUrl: string }
export type DrawnEmail = { subject: string; text: string; html: string }

/** The subject and the bodies of an email. */
export function drawEmail(
  { locale, subject, title, blocks, brand }: EmailContent,
  { name, baseUrl }: Installation,
): DrawnEmail {
  const language = LANGUAGE_TAGS[locale]
  const sender = brand ?? { name: onOneLine(name) }
  const buttonFails = templateOf(textsOf(locale, 'email').buttonFails)
  return {
    subject,
    text: `${[title, ...blocks.map((block) => plainText(block, baseUrl))].join('\n\n')}\n`,
    html: emailHtml({ language, title, sender, baseUrl, blocks, buttonFails }),
  }
}

/** With texts of the application in the place of ours where it has some. */
export function contentOf(draft: Draft, own?: OwnTexts): EmailContent {
  const { locale, brand } = draft
  return { locale, ...(brand && { brand }), ...shownOf(draft, own) }
}

/**
 * What an email says. The paragraphs of the application are in the place of our texts above the code, the
 * button or the details, and its footer in that of those below.
 */
export function shownOf(
  { title, blocks, values }: Draft,
  own?: OwnTexts,
): { subject: string; title: string; blocks: EmailBlock[] } {
  const fillOne = (text: string) => fillOwn(text, values)
  const isText = (block: DraftBlock) => ('text' in block && !block.isKept) || 'page' in block
  const first = blocks.findIndex((block) => !isText(block))
  const last = blocks.findLastIndex((block) => !isText(block))
  const lead = first === -1 ? blocks : blocks.slice(0, first)
  const middle = first === -1 ? [] : blocks.slice(first, last + 1)
  const foot = first === -1 ? [] : blocks.slice(last + 1)
  const { subject = null, heading = null, paragraphs = null, button = null, footer = null } = own ?? {}
  return {
    subject: subject === null ? title : fillOne(subject),
    title: heading === null ? title : fillOne(heading),
    blocks: [
      ...(paragraphs === null ? lead : paragraphs.map((text) => ({ text: fillOne(text) }))),
      ...middle.map((block) =>
        button !== null && 'href' in block ? { ...block, label: fillOne(button) } : block,
      ),
      ...(footer === null ? foot : [...foot.filter((block) => 'page' in block), { text: fillOne(footer) }]),
    ],
  }
}

function plainText(block: EmailBlock, baseUrl: string): string {
  if ('text' in block) return block.text
  if ('code' in block) return block.code
  if ('href' in block) return `${block.label}\n${block.href}`
  if ('page' in block) return `${block.label}: ${baseUrl}${block.page}`
  return block.details.map(({ label, value }) => `${label}: ${value}`).join('\n')
}

/** Fills the placeholders of a text with values that stay on one line. */
const fillLine = (text: Message<string>, values: Readonly<Record<string, string>>) =>
  templateOf(text).replace(/\{(\w+)\}/g, (_, name: string) => onOneLine(values[name] ?? ''))
