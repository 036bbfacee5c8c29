import type { RouteOptions } from 'fastify'
import { TAGS } from './docs.ts'

const VERBS: Record<string, string> = { POST: 'create', PUT: 'replace', PATCH: 'update', DELETE: 'delete' }

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
/** `send-password-reset` -> `SendPasswordReset`. */
const joined = (words: string) =>
  words
    .split(/[^A-Za-z]+/)
    .map(capital)
    .join('')
const singular = (word: string) => word.replace(/ies$/, 'y').replace(/s$/, '')
/** `listSystemRoles` -> `List system roles`. */
export const sentence = (name: string) =>
  capital(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))

/**
 * An operation's name and tag, from its address alone:
 *   GET /admin/systems/:systemId/roles            listSystemRoles        roles
 *   PATCH /admin/systems/:systemId/roles/:roleId  updateSystemRole       roles
 *   POST /admin/users/:userId/set-password        setPasswordOfUser      users
 */
export function nameOf({ method, url }: RouteOptions): { name: string; tag: string } {
  const parts = url.split('/').filter((part) => part !== '' && part !== 'admin')
  const last = parts.at(-1) ?? ''
  const nouns = parts.flatMap((part, at) =>
    part.startsWith(':') ? [] : [parts[at + 1]?.startsWith(':') ? singular(part) : part],
  )
  const isMany = last.endsWith('s') && !last.startsWith(':')
  const isAction = parts.length > 2 && !isMany && !last.startsWith(':')
  const tag = tagOf(parts)
  if (isAction) {
    const action = joined(nouns.pop() ?? '')
    return { name: `${action.charAt(0).toLowerCase()}${action.slice(1)}Of${nouns.map(joined).join('')}`, tag }
  }
  const verb = method === 'GET' ? (isMany ? 'list' : 'get') : VERBS[String(method)]
  // One is made in a collection: POST /systems is createSystem.
  const words = method === 'POST' ? [...nouns.slice(0, -1), singular(nouns.at(-1) ?? '')] : nouns
  return { name: verb + words.map(joined).join(''), tag }
}

/** The first noun that has a tag; a system's own collections stand before the system. */
function tagOf([first = '', , second = '']: string[]): string {
  if (first === 'systems' && second in TAGS) return second
  return first in TAGS ? first : 'oidc'
}
