import { Link } from '@tanstack/react-router'
import { kindOf, useContextKey } from '../api/queries.ts'
import { texts } from '../texts/texts.ts'
import type { Names } from './names.ts'

/** The page of a resource in the context, below /console; undefined if it has none there. */
export function usePageOf(): (type: string, id: string) => string | undefined {
  const context = useContextKey()
  const kind = kindOf(context)
  return (type, id) => {
    if (kind === 'account') return undefined
    if (type === 'user') return `/${context}/users/${id}`
    if (type === 'account') return `/${context}/accounts/${id}`
    return type === 'system' && kind === 'platform' ? `/${context}/systems/${id}` : undefined
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
  return page ? <Link to={page as '/'}>{found.name}</Link> : found.name
}

export const Gone = ({ id }: { id: string }) => (
  <span className="muted" title={id}>
    {texts.parts.deleted} <code>{id.slice(0, 8)}</code>
  </span>
)
