import { Link } from '@tanstack/react-router'
import { kindOf, useContextKey } from '../api/queries.ts'
import { texts } from '../texts/texts.ts'
import type { PageLink } from './links.ts'
import type { Names } from './names.ts'

/** The page of a resource in the context; undefined if it has none there. */
export function usePageOf(): (type: string, id: string) => PageLink | undefined {
  const context = useContextKey()
  const kind = kindOf(context)
  return (type, id) => {
    if (kind === 'account') return undefined
    if (type === 'user') return { to: '/$context/users/$userId', params: { context, userId: id } }
    if (type === 'account') return { to: '/$context/accounts/$accountId', params: { context, accountId: id } }
    return type === 'system' && kind === 'platform'
      ? { to: '/$context/systems/$systemId', params: { context, systemId: id } }
      : undefined
  }
}

type Props = { id: string | null | undefined; type: 'user' | 'account' | 'system'; names: Names }

/** A resource by its name, with a link to its page. One that no longer exists is shown by its id. */
export function Named({ id, type, names }: Props) {
  const pageOf = usePageOf()
  const found = names.of(id)
  if (!id) return null
  if (!found) return names.isLoaded ? <Gone id={id} /> : '…'
  const page = pageOf(type, id)
  return page ? <Link {...page}>{found.name}</Link> : found.name
}

export const Gone = ({ id }: { id: string }) => (
  <span className="muted" title={id}>
    {texts.parts.deleted} <code>{id.slice(0, 8)}</code>
  </span>
)
