import { Link } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import { usePlace } from '../api/context.ts'
import { useRead } from '../api/queries.ts'
import { Icon } from '../parts/Icon.tsx'
import { linkTo } from '../parts/links.ts'
import { count, formatNumber, texts } from '../texts/texts.ts'
import { ContextSwitch } from './ContextSwitch.tsx'
import { navigationOf } from './navigation.ts'
import { UserMenu } from './UserMenu.tsx'
import './Sidebar.css'

type Props = {
  /** The button of the search: a drawer has none. */
  search?: ReactNode
  onKeys: () => void
}

/** The context, its pages and the user: beside the page, or in a drawer on a phone. */
export function Sidebar({ search, onKeys }: Props) {
  const { key, kind, own } = usePlace()
  const id = useId()
  return (
    <>
      <div className="side-head">
        <ContextSwitch />
        {search}
      </div>
      <nav className="side-pages" aria-label={texts.shell.navigation}>
        {navigationOf(kind, own).map(({ title, entries }) => (
          <section key={title ?? ''} aria-labelledby={title && `${id}-${title}`}>
            {title && (
              <p id={`${id}-${title}`} className="side-title">
                {texts.shell[title] as string}
              </p>
            )}
            <ul>
              {entries.map(({ path, text, icon }) => (
                <li key={path}>
                  <Link {...linkTo(key, path)} activeOptions={{ exact: path === '', includeSearch: false }}>
                    <Icon name={icon} />
                    {texts.shell[text] as string}
                    {path === 'approvals' && <Waiting />}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      <UserMenu onKeys={onKeys} />
    </>
  )
}

/** The number of members who wait for approval; nothing if none does. */
function Waiting() {
  const { data } = useRead('/admin/memberships', { query: { status: 'pending', pageSize: 1 } })
  if (!data || data.total === 0) return null
  return (
    <>
      <span className="side-number" aria-hidden="true">
        {formatNumber(data.total)}
      </span>
      <span className="only-read">{count(texts.home.pendingMemberships, data.total)}</span>
    </>
  )
}
