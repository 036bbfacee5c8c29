import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import { useMe, usePlace } from '../api/context.ts'
import { useRead } from '../api/queries.ts'
import { Icon } from '../parts/Icon.tsx'
import { linkTo } from '../parts/links.ts'
import { Runs } from '../parts/Runs.tsx'
import { Toasts } from '../parts/Toasts.tsx'
import { fill, texts } from '../texts/texts.ts'
import { ContextSwitch } from './ContextSwitch.tsx'
import { navigationOf } from './navigation.ts'
import { lastContextOf } from './RootPage.tsx'
import { Shortcuts } from './Shortcuts.tsx'
import { SignedIn } from './SignedIn.tsx'
import { UserMenu } from './UserMenu.tsx'
import './Shell.css'

/** Everything around a page. */
export const Shell = () => (
  <SignedIn>
    <Toasts>
      <Runs>
        <Frame />
      </Runs>
    </Toasts>
  </SignedIn>
)

function Frame() {
  const { user } = useMe()
  const { key, kind, own, isViewing, canChange } = usePlace()
  const [isOpen, setOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useEffect(() => {
    if (!isViewing) localStorage.setItem(lastContextOf(user.id), key)
  }, [user.id, key, isViewing])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu of a phone closes when the page changes
  useEffect(() => setOpen(false), [path])
  return (
    <div className="shell">
      <a className="skip" href="#page">
        {texts.shell.skip}
      </a>
      <header className="side" data-open={isOpen || undefined}>
        <div className="side-head">
          <ContextSwitch />
          <button
            type="button"
            className="icon-button menu-button"
            aria-expanded={isOpen}
            aria-label={texts.shell.menu}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'close' : 'menu'} />
          </button>
        </div>
        <Shortcuts />
        <nav aria-label={texts.shell.navigation}>
          {navigationOf(kind, own).map((group) => (
            <ul key={group[0]!.path}>
              {group.map(({ path, text, icon }) => (
                <li key={path}>
                  <Link {...linkTo(key, path)} activeOptions={{ exact: path === '', includeSearch: false }}>
                    <Icon name={icon} />
                    {texts.shell[text] as string}
                  </Link>
                </li>
              ))}
            </ul>
          ))}
        </nav>
        <UserMenu />
      </header>
      <div className="main">
        {isViewing ? <Viewing /> : !canChange && <p className="bar">{texts.shell.readOnly}</p>}
        <main id="page" tabIndex={-1}>
          <Suspense>
            <Outlet />
          </Suspense>
        </main>
      </div>
    </div>
  )
}

/** Says that a user of the whole installation looks at a system or an account as its administrator. */
function Viewing() {
  const { kind, id } = usePlace()
  const system = useRead(
    '/admin/systems/{systemId}',
    { path: { systemId: id } },
    { enabled: kind === 'system' },
  )
  const account = useRead(
    '/admin/accounts/{accountId}',
    { path: { accountId: id } },
    { enabled: kind === 'account' },
  )
  const name = (kind === 'system' ? system : account).data?.name ?? '…'
  return (
    <p className="bar">
      {fill(texts.shell.viewing, { name })} {texts.shell.readOnly}{' '}
      <Link to="/$context" params={{ context: 'platform' }}>
        {texts.shell.leaveView}
      </Link>
    </p>
  )
}
