import { getRouteApi, Link } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { Copy } from '../../parts/Copy.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { MailList } from '../../parts/mail/MailList.tsx'
import { MemberList } from '../../parts/members/MemberList.tsx'
import { Page } from '../../parts/Page.tsx'
import { SessionList } from '../../parts/sessions/SessionList.tsx'
import { Tabs, useTab } from '../../parts/Tabs.tsx'
import { Time } from '../../parts/Time.tsx'
import { texts } from '../../texts/texts.ts'
import { AddTo } from './AddTo.tsx'
import { UserAudit } from './UserAudit.tsx'
import { UserActions } from './UserMenu.tsx'
import { UserMetadata } from './UserMetadata.tsx'
import { UserMethods } from './UserMethods.tsx'
import { UserOverview } from './UserOverview.tsx'
import { UserState } from './UserState.tsx'
import type { User } from './user.ts'

const route = getRouteApi('/$context/users/$userId')

/** Everything about one user. */
export function UserPage() {
  const { key } = usePlace()
  const tabs = useTabs()
  const { userId } = route.useParams()
  const given = { path: { userId } }
  const read = useRead('/admin/users/{userId}', given)
  const t = texts.users
  const user = read.data?.id === userId ? read.data : undefined
  const back = (
    <Link className="back" to="/$context/users" params={{ context: key }}>
      <Icon name="left" />
      {t.back}
    </Link>
  )
  if (!user)
    return (
      <Page title={t.user} heading={read.error ? t.user : '…'} above={back}>
        {read.error && <Failed error={read.error} onRetry={() => void read.refetch()} />}
      </Page>
    )
  return (
    <Page
      title={user.name ?? user.email}
      above={back}
      lead={<Lead user={user} />}
      actions={
        <>
          <ApiCalls calls={[{ path: '/admin/users/{userId}', given }]} />
          <Link className="button" to="/$context/explain" params={{ context: key }} search={{ userId }}>
            {t.explain}
          </Link>
          <UserActions user={user} />
        </>
      }
    >
      <Tabs label={user.email} tabs={tabs} />
      <Tab user={user} />
    </Page>
  )
}

const Lead = ({ user }: { user: User }) => (
  <span className="lead-facts">
    <UserState disabled={user.disabled} />
    {user.name && <span>{user.email}</span>}
    <Copy text={user.id} label={texts.parts.copyId} />
    <span>
      {texts.users.lastSignIn}: <Time at={user.lastLoginAt} />
    </span>
  </span>
)

/** The queue of emails is read by the whole installation only. */
function useTabs() {
  const { kind } = usePlace()
  const { audit, ...others } = texts.users.tabs
  return { ...others, ...(kind === 'platform' && { mail: texts.installation.mail }), audit }
}

function Tab({ user }: { user: User }) {
  const tab = useTab(useTabs())
  if (tab === 'memberships') return <Memberships userId={user.id} />
  if (tab === 'sessions') return <SessionList name="sessions" given={{ userId: user.id }} />
  if (tab === 'methods') return <UserMethods user={user} />
  if (tab === 'metadata') return <UserMetadata user={user} />
  if (tab === 'mail') return <MailList userId={user.id} />
  if (tab === 'audit') return <UserAudit userId={user.id} />
  return <UserOverview user={user} />
}

const Memberships = ({ userId }: { userId: string }) => (
  <MemberList name="memberships" given={{ userId }} add={<AddTo userId={userId} />} />
)
