import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { send } from '../api/call.ts'
import { useMe } from '../api/context.ts'
import { type ContextEntry, kindOf } from '../api/queries.ts'
import { texts } from '../texts/texts.ts'
import './ContextList.css'

/** A list of so many has a search field. */
const MANY = 8

/** The contexts of the user: the installation, systems and accounts. */
export function ContextList({ onChoose }: { onChoose?: () => void }) {
  const { contexts, more } = useMe()
  const [search, setSearch] = useState('')
  const text = useDeferredValue(search.trim())
  const found = useQuery({
    queryKey: ['contexts', text],
    queryFn: async (): Promise<{ data: ContextEntry[] }> =>
      (await send(`/contexts?${new URLSearchParams({ search: text })}`)).json(),
    enabled: more && text !== '',
    placeholderData: (previous) => previous,
  })
  const own = contexts.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
  const shown = more && text !== '' ? (found.data?.data ?? own) : own
  return (
    <div className="contexts">
      {contexts.length >= MANY && (
        <input
          type="search"
          aria-label={texts.shell.findContext}
          placeholder={texts.shell.findContext}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <ul>
        {shown.map(({ key, name, systemName }) => (
          <li key={key}>
            <Link to="/$context" params={{ context: key }} {...(onChoose && { onClick: onChoose })}>
              <strong>{name}</strong>
              <span>{systemName ?? texts.shell[kindOf(key)]}</span>
            </Link>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className="muted">{texts.parts.pickNone}</p>}
    </div>
  )
}
