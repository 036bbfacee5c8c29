import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { AuditList } from '../../parts/audit/AuditList.tsx'
import { Badge } from '../../parts/Badge.tsx'
import { Copy } from '../../parts/Copy.tsx'
import { SingleSignOn } from '../../parts/connections/SingleSignOn.tsx'
import { Failed } from '../../parts/Failed.tsx'
import type { Filter } from '../../parts/Filters.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { InvitationList } from '../../parts/invitations/InvitationList.tsx'
import { useInvite } from '../../parts/invitations/useInvite.tsx'
import { AddMember } from '../../parts/members/AddMember.tsx'
import { MemberList } from '../../parts/members/MemberList.tsx'
import { Named } from '../../parts/Named.tsx'
import { useNames } from '../../parts/names.ts'
import { Page } from '../../parts/Page.tsx'
import { useServiceAccounts } from '../../parts/service-accounts/useServiceAccounts.tsx'
import { SessionList } from '../../parts/sessions/SessionList.tsx'
import { Tabs, useTab } from '../../parts/Tabs.tsx'
import { texts } from '../../texts/texts.ts'
import { AccountSettings } from './AccountSettings.tsx'
import type { Account } from './account.ts'

const route = getRouteApi('/$context/accounts/$accountId')

/** One organization: members, service accounts, sessions, audit log and settings. */
export function AccountPage() {
  const { key, kind } = usePlace()
  const { accountId } = route.useParams()
  const given = { path: { accountId } }
  const read = useRead('/admin/accounts/{accountId}', given)
  const t = texts.accounts
  const account = read.data?.id === accountId ? read.data : undefined
  const [isAdding, setAdding] = useState(false)
  const { canChange } = usePlace()
  const back = (
    <Link className="back" to="/$context/accounts" params={{ context: key }}>
      <Icon name="left" />
      {t.back}
    </Link>
  )
  if (!account)
    return (
      <Page title={t.title} heading={read.error ? t.title : '…'} above={back}>
        {read.error && <Failed error={read.error} onRetry={() => void read.refetch()} />}
      </Page>
    )
  return (
    <Page
      title={account.name}
      above={back}
      lead={<Lead account={account} />}
      actions={
        <>
          <ApiCalls calls={[{ path: '/admin/accounts/{accountId}', given }]} />
          {kind === 'platform' && (
            <Link className="button" to="/$context" params={{ context: `account:${account.id}` }}>
              {t.viewAs}
            </Link>
          )}
          {canChange && <AddButton account={account} onClick={() => setAdding(true)} />}
        </>
      }
    >
      <Tabs label={account.name} tabs={tabsOf(account)} />
      <Tab account={account} reload={async () => (await read.refetch()).data} />
      {isAdding && <AddMember accountId={account.id} onClose={() => setAdding(false)} />}
    </Page>
  )
}

/** The other tabs have a main button of their own. */
function AddButton({ account, onClick }: { account: Account; onClick: () => void }) {
  const isMain = useTab(tabsOf(account)) === 'members'
  return (
    <button type="button" className={isMain ? 'primary' : undefined} onClick={onClick}>
      <Icon name="plus" />
      {texts.members.add}
    </button>
  )
}

function Lead({ account }: { account: Account }) {
  const names = useNames([account.systemId])
  return (
    <span className="lead-facts">
      <span>{texts.accounts.kinds[account.kind]}</span>
      {account.status === 'suspended' && <Badge tone="bad">{texts.accounts.suspendedState}</Badge>}
      <Named type="system" id={account.systemId} names={names} />
      <Copy text={account.id} label={texts.parts.copyId} />
    </span>
  )
}

/** Only organizations have invitations, single sign-on and service accounts. */
function tabsOf({ kind }: Account): Record<string, string> {
  const { invitations: _, sso: __, serviceAccounts: ___, ...tabs } = texts.accounts.tabs
  return kind === 'organization' ? texts.accounts.tabs : tabs
}

function Invitations({ account }: { account: Account }) {
  const { button, dialog } = useInvite(account)
  return (
    <>
      <div className="toolbar">
        <p className="muted">{texts.invitations.lead}</p>
        <span className="spacer" />
        {button}
      </div>
      <InvitationList accountId={account.id} add={null} />
      {dialog}
    </>
  )
}

function ServiceAccounts({ account }: { account: Account }) {
  const { button, list } = useServiceAccounts(account)
  return (
    <>
      <div className="toolbar">
        <p className="muted">{texts.serviceAccounts.lead}</p>
        <span className="spacer" />
        {button}
      </div>
      {list}
    </>
  )
}

function Tab({ account, reload }: { account: Account; reload: () => Promise<Account | undefined> }) {
  const tab = useTab(tabsOf(account))
  const given = { accountId: account.id }
  if (tab === 'invitations') return <Invitations account={account} />
  if (tab === 'sso') return <SingleSignOn account={account} />
  if (tab === 'serviceAccounts') return <ServiceAccounts account={account} />
  if (tab === 'sessions') return <SessionList name="account-sessions" given={given} />
  if (tab === 'audit') return <AuditList name="account-audit" given={given} />
  if (tab === 'settings') return <AccountSettings account={account} reload={reload} />
  return <Members account={account} />
}

function Members({ account: { id, systemId, kind } }: { account: Account }) {
  const t = texts.members
  const roles = useRead('/admin/systems/{systemId}/roles', { path: { systemId } })
  const admins = (roles.data ?? []).filter(({ isAdmin }) => isAdmin)
  const filters: Filter[] = [
    { name: 'status', title: t.state, options: t.states },
    {
      name: 'roleId',
      title: t.role,
      options: Object.fromEntries((roles.data ?? []).map((role) => [role.id, role.name])),
    },
  ]
  return (
    <>
      {kind === 'organization' && roles.data && (
        <AdminNotice id={id} admins={admins.map((role) => role.id)} />
      )}
      <MemberList name="account-members" given={{ accountId: id }} filters={filters} />
    </>
  )
}

/** Says that the organization cannot be managed. Knows it only of a system with one role that is admin. */
function AdminNotice({ id, admins }: { id: string; admins: readonly string[] }) {
  const [roleId = ''] = admins
  const query = { accountId: id, roleId, status: 'active' as const, pageSize: 1 }
  const members = useRead('/admin/memberships', { query }, { enabled: roleId !== '' })
  const isMissing = admins.length === 0 || (admins.length === 1 && members.data?.total === 0)
  return isMissing ? <p className="notice">{texts.accounts.hasNoAdmin}</p> : null
}
