import { Link } from '@tanstack/react-router'
import { usePageSearch } from './search.ts'
import './Tabs.css'

type Props<Key extends string> = {
  label: string
  tabs: Partial<Record<Key, string>>
}

/** On a phone the row of tabs is wider than the page. */
const reveal = (tab: HTMLElement | null) => tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })

/** The tabs of a page; the address has the open one. */
export function Tabs<Key extends string>({ label, tabs }: Props<Key>) {
  const open = useTab(tabs)
  return (
    <nav className="tabs" aria-label={label}>
      {(Object.entries(tabs) as [Key, string][]).map(([key, title], index) => (
        <Link
          key={key}
          ref={key === open ? reveal : undefined}
          to="."
          search={{ tab: index === 0 ? undefined : key }}
          activeOptions={{ exact: true, includeSearch: true }}
          aria-current={key === open ? 'page' : undefined}
          resetScroll={false}
        >
          {title}
        </Link>
      ))}
    </nav>
  )
}

/** The open tab: the first one unless the address has another. */
export function useTab<Key extends string>(tabs: Partial<Record<Key, string>>): Key {
  const { text } = usePageSearch()
  const keys = Object.keys(tabs) as Key[]
  return keys.find((key) => key === text('tab')) ?? keys[0]!
}
