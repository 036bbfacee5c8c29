/** Sends an email to the SMTP server of MAIL_URL, or writes it to a file in DATA_DIR/outbox. */
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config/config.ts'
import { installationName } from '../../config/installation-name.ts'
import { readSender } from '../../config/setting.ts'
import { isPublic } from '../../config/warnings.ts'
import { makePrivate, outboxOf } from '../../data-dir.ts'
import { drawEmail } from './compose.ts'
import type { EmailContent } from './enqueue.ts'
import type { ClaimedEmail } from './queries.ts'

export type Transport = {
  /** Resolves once the email is accepted by the server, or is in the file. */
  send(email: ClaimedEmail, content: EmailContent, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Loaded with the first email, since it takes 40 ms. */
const library = () => import('nodemailer')

export type MailConfig = Pick<Config, 'MAIL_URL' | 'MAIL_FROM' | 'DATA_DIR' | 'BASE_URL'> &
  Partial<Pick<Config, 'reread' | 'INSTALLATION_NAME'>>

/** In ms. */
const TIMEOUTS = {
  dnsTimeout: 5_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
}
/** The content is complete: Nodemailer must not fetch URLs or read files. */
const NO_FETCHING = { disableFileAccess: true, disableUrlAccess: true }

const connectTo = async (url: string, connections: number) =>
  (await library()).createTransport({
    url,
    pool: true,
    maxConnections: connections,
    maxRequeues: 0, // attempts are counted and repeated by the worker
    idleTimeout: 30_000,
    requireTLS: new URL(url).username !== '', // never send a password unencrypted
    ...TIMEOUTS,
    ...NO_FETCHING,
  })

/** Connects and signs in. Sends no email. Throws the error of the connection. */
export async function checkSmtp(url: string): Promise<void> {
  const server = await connectTo(url, 1)
  await server.verify().finally(() => server.close())
}

/** The user or the password was refused. */
const isLoginRefused = (error: unknown) => (error as { code?: string }).code === 'EAUTH'

/**
 * When the login is refused, MAIL_URL is read from its file again; with a new value the email is sent once
 * more.
 */
export function smtpTransport(given: string, config: MailConfig, connections: number): Transport {
  type Server = Awaited<ReturnType<typeof connectTo>>
  let url = given
  let server: Promise<Server> | undefined
  /**
   * The servers of former values: emails on their way are sent, then their connections are idle and close.
   */
  const former: (Promise<Server> | undefined)[] = []
  const current = () =>
    (server ??= connectTo(url, connections).catch((error) => {
      server = undefined // import it again next time
      throw error
    }))
  const hasChanged = (used: string): boolean => {
    if (used !== url) return true // another email has met it before
    const now = config.reread?.('MAIL_URL')
    if (now === undefined || now === url) return false
    former.push(server)
    url = now
    server = undefined
    return true
  }
  return {
    async send(email, content, signal) {
      const message = messageOf(email, content, config)
      const used = url
      try {
        await (await current()).sendMail({ ...message, signal })
      } catch (error) {
        if (!isLoginRefused(error) || !hasChanged(used)) throw error
        await (await current()).sendMail({ ...message, signal })
      }
    },
    close: async () => {
      for (const each of [...former, server]) (await each?.catch(() => undefined))?.close()
    },
  }
}

/**
 * Writes emails to files, for development. The log contains the link of each email, so that no file has to be
 * opened to follow it, but not if the issuer is public: a log has more readers than mailboxes. The texts in
 * the file are not encoded, so that a link can be copied from it.
 */
export function outboxTransport(config: MailConfig, log: FastifyBaseLogger): Transport {
  const composer = async () =>
    (await library()).createTransport({
      streamTransport: true,
      buffer: true,
      newline: 'windows',
      ...NO_FETCHING,
    })
  const folder = outboxOf(config)
  return {
    async send(email, content) {
      const { text, html, ...headers } = messageOf(email, content, config)
      const alternatives = [part('plain', text), part('html', html)]
      const { message } = await (await composer()).sendMail({ ...headers, alternatives })
      const name = `${email.createdAt.toISOString().replaceAll(':', '-')}-${email.id}.eml`
      await mkdir(folder, { recursive: true, mode: 0o700 })
      makePrivate(folder)
      // Written under a temporary name, so that a watcher of the folder never reads a partial file.
      await writeFile(join(folder, `.${name}`), message as Buffer, { mode: 0o600 })
      await rename(join(folder, `.${name}`), join(folder, name))
      const link = isPublic(config) ? undefined : /https?:\/\/\S+/.exec(text)?.[0]
      log.info(
        { mail: email.id, kind: email.kind, file: join(folder, name), ...(link && { link }) },
        'email written to the outbox',
      )
    },
    close: async () => {},
  }
}

/** A text as a part of an email in its own characters (RFC 2045 section 6.2: 8bit). */
function part(subtype: string, content: string) {
  const headers = `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n`
  return { raw: `${headers}\r\n${content.replace(/\r?\n/g, '\r\n')}` }
}

function messageOf({ id, recipient }: ClaimedEmail, content: EmailContent, config: MailConfig) {
  const { sender, from, replyTo } = content
  const { name, address } = readSender(config.MAIL_FROM)
  const installation = installationName(config)
  return {
    // Nodemailer quotes or encodes the name of an object.
    from: { name: sender || name || installation, address: from ?? address },
    ...(replyTo && { replyTo: { name: '', address: replyTo } }),
    // Nodemailer parses a string as a list of addresses, but not an object.
    to: { name: '', address: recipient },
    ...drawEmail(content, { name: installation, baseUrl: config.BASE_URL }),
    // The id is the same at every attempt, so that a mailbox can drop a duplicate.
    messageId: `<${id}@${new URL(config.BASE_URL).hostname}>`,
    // RFC 3834: prevents automatic replies.
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}
