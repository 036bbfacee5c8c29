import { Link, useParams } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { useVersioned } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Page } from '../../parts/Page.tsx'
import { usePageSearch } from '../../parts/search.ts'
import { Tabs, useTab } from '../../parts/Tabs.tsx'
import { texts } from '../../texts/texts.ts'
import { AddUser, canAddUsers } from './AddUser.tsx'
import { Brand } from './Brand.tsx'
import { Danger } from './Danger.tsx'
import { EditingSystem } from './editing.tsx'
import { Keys } from './Keys.tsx'
import { Overview } from './Overview.tsx'
import { Profiles } from './Profiles.tsx'
import { QuickStart } from './QuickStart.tsx'
import { Roles } from './Roles.tsx'
import { SignIn } from './SignIn.tsx'
import type { System } from './system.ts'

/** One application; in the context of a system its settings. */
export function SystemPage() {
  const place = usePlace()
  const { systemId = place.id } = useParams({ strict: false }) as { systemId?: string }
  const path = { systemId }
  const query = useVersioned('/admin/systems/{systemId}', { path })
  const t = texts.systems
  const { text, set } = usePageSearch()
  const setAdding = (isAdding: boolean) => set({ new: isAdding ? 1 : undefined }, { replace: !isAdding })
  if (query.error && !query.data)
    return (
      <Page title={t.title}>
        <Failed error={query.error} onRetry={() => void query.refetch()} />
      </Page>
    )
  if (!query.data) return null
  const canAdd = place.canChange && canAddUsers(query.data, place.kind === 'platform')
  return (
    <Page
      key={systemId}
      title={query.data.name}
      above={
        place.kind === 'platform' && (
          <Link className="back" to={`/${place.key}/systems` as '/'}>
            <Icon name="left" />
            {t.title}
          </Link>
        )
      }
      actions={
        <>
          <ApiCalls calls={[{ path: '/admin/systems/{systemId}', given: { path } }]} />
          {canAdd && (
            <button type="button" onClick={() => setAdding(true)}>
              <Icon name="plus" />
              {t.addUser.action}
            </button>
          )}
        </>
      }
    >
      <Tabbed system={query.data} reload={async () => (await query.refetch()).data} />
      {canAdd && text('new') !== '' && <AddUser system={query.data} onClose={() => setAdding(false)} />}
    </Page>
  )
}

/** The tabs that change the system itself. */
const SETTINGS = { signIn: SignIn, brand: Brand, keys: Keys } as const

type Props = { system: System; reload: () => Promise<System | undefined> }

function Tabbed({ system, reload }: Props) {
  const { key, kind, canChange } = usePlace()
  const { danger, ...others } = texts.systems.tabs
  const tabs: Partial<typeof texts.systems.tabs> = canChange ? texts.systems.tabs : others
  const tab = useTab(tabs)
  const Settings = SETTINGS[tab as keyof typeof SETTINGS]
  const search = { systemId: kind === 'platform' ? system.id : undefined }
  return (
    <>
      <Tabs
        label={texts.systems.tabsLabel}
        tabs={tabs}
        links={[
          { title: texts.systems.members, to: `/${key}/members`, search },
          { title: texts.systems.accounts, to: `/${key}/accounts`, search },
          { title: texts.systems.webhooks, to: `/${key}/webhooks`, search },
          { title: texts.shell.sessions, to: `/${key}/sessions`, search },
          { title: texts.shell.audit, to: `/${key}/audit`, search },
        ]}
      />
      {tab === 'overview' && <Overview system={system} />}
      {tab === 'quickStart' && <QuickStart system={system} />}
      {tab === 'roles' && <Roles system={system} />}
      {tab === 'profiles' && <Profiles system={system} />}
      {tab === 'danger' && <Danger system={system} />}
      {Settings && (
        <EditingSystem key={tab} system={system} reload={reload}>
          <Settings />
        </EditingSystem>
      )}
    </>
  )
}
