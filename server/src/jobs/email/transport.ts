/** How an email leaves: to the mail server of MAIL_URL, or as a file into DATA_DIR/outbox. */
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config.ts'
import type { Content } from './enqueue.ts'
import type { ClaimedEmail } from './queries.ts'

export type Transport = {
  /** Resolves once the email is somebody else's to keep. */
  send(email: ClaimedEmail, content: Content, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Loaded with the first email: it takes 40 ms. */
const library = () => import('nodemailer')

export type MailConfig = Pick<Config, 'MAIL_URL' | 'MAIL_FROM' | 'DATA_DIR' | 'BASE_URL'>

/** In ms. A server that answers at all answers well within these. */
const TIMEOUTS = {
  dnsTimeout: 5_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
}
/** We hand over texts of our own; nothing in them is to be fetched or read from a disk. */
const NO_FETCHING = { disableFileAccess: true, disableUrlAccess: true }

export function smtpTransport(url: string, config: MailConfig, connections: number): Transport {
  const connect = async () =>
    (await library()).createTransport({
      url,
      pool: true,
      maxConnections: connections,
      maxRequeues: 0, // an email that may have arrived is tried again by us, where it is counted
      idleTimeout: 30_000,
      requireTLS: new URL(url).username !== '', // a password never crosses the network in clear
      ...TIMEOUTS,
      ...NO_FETCHING,
    })
  let server: ReturnType<typeof connect> | undefined
  return {
    async send(email, content, signal) {
      server ??= connect().catch((error) => {
        server = undefined // a library that could not be read just now can be the next time
        throw error
      })
      await (await server).sendMail({ ...messageOf(email, content, config), signal })
    },
    close: async () => (await server?.catch(() => undefined))?.close(),
  }
}

/** For a developer's machine: the links are in the log, so that nobody has to open a file to follow one. */
export function outboxTransport(config: MailConfig, log: FastifyBaseLogger): Transport {
  const composer = async () =>
    (await library()).createTransport({
      streamTransport: true,
      buffer: true,
      newline: 'windows',
      ...NO_FETCHING,
    })
  const folder = join(resolve(config.DATA_DIR), 'outbox')
  return {
    async send(email, content) {
      const { message } = await (await composer()).sendMail(messageOf(email, content, config))
      const name = `${email.createdAt.toISOString().replaceAll(':', '-')}-${email.id}.eml`
      await mkdir(folder, { recursive: true, mode: 0o700 })
      // Under another name first: who watches the folder never sees half an email.
      await writeFile(join(folder, `.${name}`), message as Buffer, { mode: 0o600 })
      await rename(join(folder, `.${name}`), join(folder, name))
      const link = /https?:\/\/\S+/.exec(content.text)?.[0]
      log.info(
        { mail: email.id, kind: email.kind, file: join(folder, name), ...(link && { link }) },
        'mail written to the outbox',
      )
    },
    close: async () => {},
  }
}

function messageOf(
  { id, recipient }: ClaimedEmail,
  { subject, text, html }: Content,
  { MAIL_FROM, BASE_URL }: MailConfig,
) {
  return {
    from: MAIL_FROM,
    // As an object: a text would be parsed as a list of addresses.
    to: { name: '', address: recipient },
    subject,
    text,
    html,
    // The same at every attempt: a mailbox can tell an email it has already.
    messageId: `<${id}@${new URL(BASE_URL).hostname}>`,
    // RFC 3834: nobody's holiday notice answers it.
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

type SmtpError = Error & { code?: string; command?: string; response?: string; responseCode?: number }

/** What the operator needs to know. Never the server's own words: a filter's answer may quote the email, and its link. */
export function faultOf(error: unknown): string {
  const { code, command, response, responseCode, message } = error as SmtpError
  if (response === undefined) return [code, message].filter(Boolean).join(': ').slice(0, 300)
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1]
  return [code, `${responseCode ?? ''} ${enhanced ?? ''}`.trim(), command && `at ${command}`]
    .filter(Boolean)
    .join(' ')
}

/** Whether the server will never take an email to this address (RFC 5321 section 4.2.1: 5yz). */
export function isRefused(error: unknown): boolean {
  const { command, responseCode } = error as SmtpError
  return command === 'RCPT TO' && responseCode !== undefined && responseCode >= 500
}
