import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { Timeline } from '../../parts/audit/Timeline.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { MemberState } from '../../parts/members/MemberState.tsx'
import { useNames } from '../../parts/names.ts'
import { Time } from '../../parts/Time.tsx'
import { texts } from '../../texts/texts.ts'
import { AddTo } from './AddTo.tsx'
import { TIMELINE } from './address.ts'
import { EditUser } from './EditUser.tsx'
import { profileFacts } from './profile.ts'
import { useWait, Wait } from './UserLimits.tsx'
import { AddressState } from './UserState.tsx'
import type { User } from './user.ts'

export const UserOverview = ({ user }: { user: User }) => (
  <div className="panels">
    <div className="stack">
      <About user={user} />
      <NextSignIn user={user} />
      <Memberships userId={user.id} />
    </div>
    <section className="panel">
      <h2>{texts.users.history}</h2>
      <Timeline query={{ targetId: user.id }} size={TIMELINE} />
      <Link to="." search={{ tab: 'audit' }}>
        {texts.users.allHistory}
      </Link>
    </section>
  </div>
)

function About({ user }: { user: User }) {
  const { canChange } = usePlace()
  const t = texts.users
  const [isEditing, setEditing] = useState(false)
  const facts: [string, React.ReactNode][] = [
    [t.name, user.name],
    [
      t.email,
      <span key="email">
        {user.email} <AddressState emailVerified={user.emailVerified} />
      </span>,
    ],
    [t.phone, user.phoneNumber],
    [t.locale, user.locale],
    ...profileFacts(user),
    [t.created, <Time key="created" at={user.createdAt} />],
    [t.changed, <Time key="changed" at={user.updatedAt} />],
  ]
  return (
    <section className="panel">
      <header className="panel-head">
        <h2>{t.about}</h2>
        {canChange && (
          <button type="button" onClick={() => setEditing(true)}>
            {texts.parts.edit}
          </button>
        )}
      </header>
      <Facts facts={facts.filter(([, value]) => value)} />
      {isEditing && <EditUser user={user} onClose={() => setEditing(false)} />}
    </section>
  )
}

/** What stops the user or is asked of them. */
function NextSignIn({ user }: { user: User }) {
  const { kind } = usePlace()
  const t = texts.users
  const until = useWait(user.id)
  const asked = user.disabled
    ? [t.cannotSignIn]
    : [
        user.mustChangePassword && t.mustChangePassword,
        kind === 'platform' && !user.emailVerified && t.mustVerify,
      ].filter(Boolean)
  return (
    <section className="panel">
      <h2>{t.nextSignIn}</h2>
      {until && <Wait user={user} until={until} />}
      {asked.length === 0 ? (
        !until && <p className="muted">{t.nothingAsked}</p>
      ) : (
        <ul className="plain">
          {asked.map((each) => (
            <li key={String(each)}>{each}</li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Memberships({ userId }: { userId: string }) {
  const { kind } = usePlace()
  const memberships = useRead('/admin/memberships', { query: { userId, pageSize: 25 } })
  const rows = memberships.data?.data ?? []
  const names = useNames(rows.flatMap((row) => [row.systemId, ...row.roles]))
  const t = texts.users
  return (
    <section className="panel">
      <h2>{t.tabs.memberships}</h2>
      {memberships.error && <Failed error={memberships.error} />}
      {memberships.data?.total === 0 && (
        <>
          <p className="muted">{t.noMemberships}</p>
          <AddTo userId={userId} />
        </>
      )}
      <ul className="rows">
        {rows.map(({ id, account, systemId, roles, status }) => (
          <li key={id}>
            <Link className="opener" to="." search={{ tab: 'memberships', member: id }}>
              <strong>{account.name}</strong>
              {kind === 'platform' && ` · ${names.of(systemId)?.name ?? '…'}`}
              <span className="below">{roles.map((role) => names.of(role)?.name ?? '…').join(', ')}</span>
            </Link>
            <MemberState status={status} />
          </li>
        ))}
      </ul>
    </section>
  )
}
