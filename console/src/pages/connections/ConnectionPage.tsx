import { getRouteApi, Link } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { Copy } from '../../parts/Copy.tsx'
import { type Account, type Connection, hostOf, ONE, pathOf } from '../../parts/connections/connection.ts'
import { States } from '../../parts/connections/States.tsx'
import { isAbove, useSetsUp } from '../../parts/domains/domain.ts'
import { Failed } from '../../parts/Failed.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Page } from '../../parts/Page.tsx'
import { Tabs, useTab } from '../../parts/Tabs.tsx'
import { texts } from '../../texts/texts.ts'
import { ConnectionActions } from './ConnectionActions.tsx'
import { ConnectionLinks } from './ConnectionLinks.tsx'
import { ConnectionLog } from './ConnectionLog.tsx'
import { ConnectionSettings } from './ConnectionSettings.tsx'
import { Summary } from './Summary.tsx'

const route = getRouteApi('/$context/accounts/$accountId/connections/$connectionId')

/** One connection of an organization: its state and settings, the members that it knows, and its log. */
export function ConnectionPage() {
  const path = route.useParams()
  const { accountId, connectionId } = path
  const read = useRead(ONE, { path: { accountId, connectionId } })
  const account = useRead('/admin/accounts/{accountId}', { path: { accountId } })
  const t = texts.connections
  const above = <Back accountId={accountId} />
  const error = read.error ?? account.error
  if (read.data?.id !== connectionId || !account.data)
    return (
      <Page title={t.title} heading={error ? t.title : '…'} above={above}>
        {error && (
          <Failed
            error={error}
            onRetry={() => {
              void read.refetch()
              void account.refetch()
            }}
          />
        )}
      </Page>
    )
  return (
    <Loaded connection={read.data} account={account.data} reload={async () => (await read.refetch()).data} />
  )
}

/** To the connections of the organization: a tab of its page, or the page of its own context. */
function Back({ accountId }: { accountId: string }) {
  const { key, kind } = usePlace()
  const content = (
    <>
      <Icon name="left" />
      {texts.accounts.tabs.sso}
    </>
  )
  if (kind === 'account')
    return (
      <Link className="back" to="/$context/single-sign-on" params={{ context: key }}>
        {content}
      </Link>
    )
  return (
    <Link
      className="back"
      to="/$context/accounts/$accountId"
      params={{ context: key, accountId }}
      search={{ tab: 'sso' }}
    >
      {content}
    </Link>
  )
}

type LoadedProps = {
  connection: Connection
  account: Account
  reload: () => Promise<Connection | undefined>
}

function Loaded({ connection, account, reload }: LoadedProps) {
  const t = texts.connections
  const { kind, canChange } = usePlace()
  const setsUp = useSetsUp(account) !== false
  const isOurs = canChange && !isAbove(connection, kind)
  const path = pathOf(connection)
  const rights = { isOurs, mayChange: isOurs && setsUp }
  const tab = useTab(t.tabs)
  return (
    <Page
      title={connection.name}
      above={<Back accountId={connection.accountId} />}
      lead={<Lead connection={connection} />}
      actions={
        <>
          <ApiCalls calls={[{ path: ONE, given: { path } }]} />
          <ConnectionActions connection={connection} {...rights} />
        </>
      }
    >
      <Tabs label={connection.name} tabs={t.tabs} />
      {tab === 'members' && <ConnectionLinks connection={connection} isOurs={isOurs} />}
      {tab === 'log' && <ConnectionLog connection={connection} />}
      {tab === 'settings' && (
        <>
          <Summary connection={connection} {...rights} />
          <ConnectionSettings connection={connection} reload={reload} mayChange={rights.mayChange} />
        </>
      )}
    </Page>
  )
}

const Lead = ({ connection }: { connection: Connection }) => (
  <span className="lead-facts">
    <States connection={connection} />
    <span>{hostOf(connection)}</span>
    <Copy text={connection.id} label={texts.parts.copyId} />
  </span>
)
