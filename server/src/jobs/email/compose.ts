/** How an email is made of its texts, in text and HTML, with the brand of the application that it is from. */
import type { Brand } from '../../texts/brand.ts'
import { type KeyOf, type Message, templateOf } from '../../texts/message.ts'
import { onOneLine, senderName, unlinked } from '../../texts/names.ts'
import { type Catalog, LANGUAGE_TAGS, localeOfTag, textsOf, timeInUtc } from '../../texts/texts.ts'
import type { EmailMessage } from './enqueue.ts'
import { type EmailBlock, emailHtml } from './layout.ts'

/** 3 days, in seconds: a notification that could not be delivered by then is dropped. */
const NOTIFICATION_EXPIRES_IN = 259_200

export type EmailTexts = Catalog['email']
/** A text whose placeholders are the address of the reader, the system and `Name`. */
export type TextKey<Name extends string = never> = KeyOf<EmailTexts, 'email' | 'system' | Name>

/** A user, or without `id` an address that has none yet. */
export type Recipient = { id?: string; email: string; locale: string | null }
export type Reader = Recipient & { id: string }
/** The system on whose behalf the email is sent, if any: the email names it and has its logo and color. */
export type SentFor = Brand | undefined

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
  system: SentFor
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
export type Part<Name extends string> =
  | TextKey<Name>
  | { href: string; label: TextKey }
  | { code: string }
  | { details: Detail[] }
  /** Words of a user. */
  | { words: string }
type Detail = { label: TextKey; value: string }

/** An email about a change or a sign-in: what happened, when, from where, and what to do. */
export function notification<Name extends string = never>(
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
export function compose<Name extends string = never>(
  { id, email, locale: tag }: Recipient,
  { kind, subject, system, expiresIn, values }: About<Name> & { expiresIn: number },
  parts: Part<Name>[],
): EmailMessage {
  const locale = localeOfTag(tag)
  const texts = textsOf(locale, 'email')
  const name = unlinked(system?.name ?? '')
  const say = (key: keyof EmailTexts) => fillLine(texts[key], { ...values, email, system: name })
  const title = say(system === undefined ? subject : (`${subject}For` as keyof EmailTexts))
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
