/** Reads the emails that the server has written to DATA_DIR/outbox (jobs/email/transport.ts). */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import type { Config } from '../config/config.ts'
import { outboxOf } from '../data-dir.ts'

/** The time of the email and its id. */
const NAME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)-[0-9a-f-]{36}\.eml$/
/** The newest emails that a page lists. */
const SHOWN = 50

/** `links` and `codes`: of its text, to copy. */
export type StoredEmail = {
  name: string
  at: Date
  from: string
  to: string
  subject: string
  text: string
  html: string
  links: string[]
  codes: string[]
}

type Folder = Pick<Config, 'DATA_DIR'>

/** File names, newest first. */
async function listNames(config: Folder): Promise<string[]> {
  const files = await readdir(outboxOf(config)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [] // no email was written yet
    throw error
  })
  return files
    .filter((file) => NAME.test(file))
    .sort()
    .reverse()
}

/** The name of the newest email; an empty text without one. */
export const newestName = async (config: Folder): Promise<string> => (await listNames(config))[0] ?? ''

export async function listEmails(config: Folder): Promise<StoredEmail[]> {
  const names = (await listNames(config)).slice(0, SHOWN)
  const emails = await Promise.all(names.map((name) => readEmail(config, name)))
  return emails.filter((email) => email !== undefined)
}

/** Undefined for a name that no email has, or if somebody has deleted its file. */
export async function readEmail(config: Folder, name: string): Promise<StoredEmail | undefined> {
  const [, day, hour, minute, second] = NAME.exec(name) ?? []
  if (day === undefined) return undefined
  const file = await readFile(join(outboxOf(config), name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!file) return undefined
  const { from, to, subject = '', text = '', html = '' } = await PostalMime.parse(file)
  return {
    name,
    at: new Date(`${day}T${hour}:${minute}:${second}`),
    from: [from?.name, from?.address && `<${from.address}>`].filter(Boolean).join(' '),
    to: to?.[0]?.address ?? '',
    subject,
    text,
    html,
    links: [...new Set(text.match(/https?:\/\/\S+/g) ?? [])],
    codes: [...new Set(text.match(/^\d{6,10}$/gm) ?? [])],
  }
}
