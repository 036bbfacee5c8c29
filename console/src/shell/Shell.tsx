import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { useMe, usePlace } from '../api/context.ts'
import { useRead } from '../api/queries.ts'
import { Dialog } from '../parts/Dialog.tsx'
import { Icon } from '../parts/Icon.tsx'
import { Runs } from '../parts/Runs.tsx'
import { Toasts } from '../parts/Toasts.tsx'
import { fill, texts } from '../texts/texts.ts'
import { useContextName } from './ContextSwitch.tsx'
import { Find } from './Find.tsx'
import { lastContextOf } from './RootPage.tsx'
import { type Overlay, Overlays, useKeys } from './Shortcuts.tsx'
import { Sidebar } from './Sidebar.tsx'
import { SignedIn } from './SignedIn.tsx'
import { useWide } from './useWide.ts'
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
  const { key, isViewing, canChange } = usePlace()
  const [overlay, setOverlay] = useState<Overlay | 'menu'>()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useKeys(setOverlay)
  useEffect(() => {
    if (!isViewing) localStorage.setItem(lastContextOf(user.id), key)
  }, [user.id, key, isViewing])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes when the page changes
  useEffect(() => setOverlay((open) => (open === 'menu' ? undefined : open)), [path])
  const isWide = useWide()
  const find = <Find onOpen={() => setOverlay('palette')} />
  const side = { onKeys: () => setOverlay('keys') }
  return (
    <div className="shell">
      <a className="skip" href="#page">
        {texts.shell.skip}
      </a>
      {isWide && (
        <header className="side">
          <Sidebar {...side} search={find} />
        </header>
      )}
      <TopBar isOpen={overlay === 'menu'} onMenu={() => setOverlay('menu')} find={find} />
      <div className="main">
        {isViewing ? <Viewing /> : !canChange && <p className="bar">{texts.shell.readOnly}</p>}
        <main id="page" tabIndex={-1}>
          <Suspense>
            <Outlet />
          </Suspense>
        </main>
      </div>
      {overlay === 'menu' && (
        <Dialog title={texts.shell.menu} onClose={() => setOverlay(undefined)} place="start">
          <Sidebar {...side} />
        </Dialog>
      )}
      <Overlays open={overlay} onClose={() => setOverlay(undefined)} />
    </div>
  )
}

type TopBarProps = { isOpen: boolean; onMenu: () => void; find: ReactNode }

/** Above the page on a phone: the button of the drawer, the context and the search. */
function TopBar({ isOpen, onMenu, find }: TopBarProps) {
  const { name } = useContextName()
  return (
    <div className="top-bar">
      <button
        type="button"
        className="icon-button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={texts.shell.menu}
        onClick={onMenu}
      >
        <Icon name="menu" />
      </button>
      <strong>{name}</strong>
      {find}
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
