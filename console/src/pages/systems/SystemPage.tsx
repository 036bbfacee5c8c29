import { getRouteApi, Link } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { useVersioned } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { Copy } from '../../parts/Copy.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Page } from '../../parts/Page.tsx'
import { usePageSearch } from '../../parts/search.ts'
import { Tabs, useTab } from '../../parts/Tabs.tsx'
import { texts } from '../../texts/texts.ts'
import { AddUser, canAddUsers } from './AddUser.tsx'
import { Brand } from './Brand.tsx'
import { Danger } from './Danger.tsx'
import { EmailTexts } from './EmailTexts.tsx'
import { EditingSystem } from './editing.tsx'
import { KeySettings } from './Keys.tsx'
import { SystemOverview } from './Overview.tsx'
import { Profiles } from './Profiles.tsx'
import { QuickStart } from './QuickStart.tsx'
import { Roles } from './Roles.tsx'
import { SignIn } from './SignIn.tsx'
import type { System } from './system.ts'

const route = getRouteApi('/$context/systems/$systemId')

export const SystemPage = () => <SystemView systemId={route.useParams().systemId} />

/** The settings in the context of a system. */
export const SettingsPage = () => <SystemView systemId={usePlace().id} />

/** One application with its settings. */
function SystemView({ systemId }: { systemId: string }) {
  const place = usePlace()
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
          <Link className="back" to="/$context/systems" params={{ context: place.key }}>
            <Icon name="left" />
            {t.title}
          </Link>
        )
      }
      lead={<Lead system={query.data} />}
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

/** The client id, and lists of their own that belong to the application. */
function Lead({ system }: { system: System }) {
  const { key, kind } = usePlace()
  const t = texts.systems
  const params = { context: key }
  const search = { systemId: kind === 'platform' ? system.id : undefined }
  return (
    <span className="lead-facts">
      <Copy text={system.clientId} label={`${texts.parts.copy}: ${t.clientId}`} />
      <Link to="/$context/members" {...{ params, search }}>
        {t.members}
      </Link>
      <Link to="/$context/accounts" {...{ params, search }}>
        {t.accounts}
      </Link>
      <Link to="/$context/webhooks" {...{ params, search }}>
        {t.webhooks}
      </Link>
      <Link to="/$context/sessions" {...{ params, search }}>
        {texts.shell.sessions}
      </Link>
      <Link to="/$context/audit" {...{ params, search }}>
        {texts.shell.audit}
      </Link>
    </span>
  )
}

/** The tabs that change the system itself. */
const SETTINGS = { signIn: SignIn, brand: Brand, keys: KeySettings } as const

type Props = { system: System; reload: () => Promise<System | undefined> }

function Tabbed({ system, reload }: Props) {
  const { canChange } = usePlace()
  const { danger, ...others } = texts.systems.tabs
  const tabs: Partial<typeof texts.systems.tabs> = canChange ? texts.systems.tabs : others
  const tab = useTab(tabs)
  const Settings = SETTINGS[tab as keyof typeof SETTINGS]
  return (
    <>
      <Tabs label={texts.systems.tabsLabel} tabs={tabs} />
      {tab === 'overview' && <SystemOverview system={system} />}
      {tab === 'quickStart' && <QuickStart system={system} />}
      {tab === 'roles' && <Roles system={system} />}
      {tab === 'profiles' && <Profiles system={system} />}
      {tab === 'emails' && <EmailTexts system={system} />}
      {tab === 'danger' && <Danger system={system} />}
      {Settings && (
        <EditingSystem key={tab} system={system} reload={reload}>
          <Settings />
        </EditingSystem>
      )}
    </>
  )
}
