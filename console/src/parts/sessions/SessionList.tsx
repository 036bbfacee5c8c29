import { usePlace } from '../../api/context.ts'
import { type Item, useRead } from '../../api/queries.ts'
import { count, fill, textNamed, texts } from '../../texts/texts.ts'
import { deviceOf } from '../device.ts'
import type { Filter } from '../Filters.tsx'
import { List, useListQuery } from '../List.tsx'
import { MenuItem, MoreMenu } from '../Menu.tsx'
import { Named } from '../Named.tsx'
import { type Names, useNames } from '../names.ts'
import { Empty } from '../Page.tsx'
import { Person } from '../Person.tsx'
import type { Column } from '../Table.tsx'
import { Time } from '../Time.tsx'
import { useActOnEach } from '../useActOnEach.ts'

type Session = Item<'/admin/sessions'>

type Props = {
  name: string
  /** What the list is limited to: its column is not shown. */
  given?: { userId?: string; accountId?: string }
  filters?: readonly Filter[]
}

const methodsOf = (amr: readonly string[]): string =>
  [...new Set(amr.map((each) => textNamed(texts.sessions.methods, each) ?? each))].join(', ')

/** Sessions, which are ended one by one or several at once. */
export function SessionList({ name, given = {}, filters = [] }: Props) {
  const { kind, canChange } = usePlace()
  const t = texts.sessions
  const each = useActOnEach()
  const query = { ...useListQuery(filters), ...given }
  const sessions = useRead('/admin/sessions', { query })
  const rows = sessions.data?.data ?? []
  const names = useNames(rows.flatMap(({ userId, accountId, systemId }) => [userId, accountId, systemId]))
  const nameOf = ({ userId, jti }: Session) => names.of(userId)?.name ?? jti.slice(0, 8)
  const end = (some: readonly Session[]) =>
    each(some, (api, { jti }) => api.delete('/admin/sessions/{jti}', { path: { jti } }), {
      nameOf,
      done: (number) => count(t.ended, number),
    })
  const endSelected = async (ids: readonly string[], clear: () => void) =>
    (await end(rows.filter(({ jti }) => ids.includes(jti)))) && clear()
  const hidden = [
    given.userId && 'user',
    (given.accountId || kind === 'account') && 'account',
    (given.accountId || kind !== 'platform') && 'system',
  ]
  return (
    <List
      label={t.title}
      name={name}
      query={sessions}
      call={{ path: '/admin/sessions', given: { query } }}
      columns={columnsOf(names).filter(({ key }) => !hidden.includes(key))}
      idOf={({ jti }) => jti}
      nameOf={nameOf}
      filters={filters}
      empty={
        <Empty title={t.empty}>
          <p>{t.emptyLead}</p>
        </Empty>
      }
      {...(canChange && {
        menu: (row: Session) => (
          <MoreMenu name={nameOf(row)}>
            <MenuItem danger onClick={() => void end([row])}>
              {t.end}
            </MenuItem>
          </MoreMenu>
        ),
        bulk: (ids: readonly string[], clear: () => void) => (
          <>
            <span>{count(texts.parts.selected, ids.length)}</span>
            <button type="button" onClick={() => void endSelected(ids, clear)}>
              {t.end}
            </button>
          </>
        ),
      })}
    />
  )
}

/** How the user has signed in, or who acts for the user and why. */
function Method({ session: { amr, actor, reason } }: { session: Session }) {
  if (!actor) return methodsOf(amr)
  return (
    <>
      <strong>{fill(texts.sessions.actsFor, { name: actor.name })}</strong>
      <span className="below">{reason}</span>
    </>
  )
}

function columnsOf(names: Names): Column<Session>[] {
  const t = texts.sessions
  return [
    {
      key: 'user',
      title: t.user,
      cell: ({ userId }) => {
        const user = names.of(userId)
        return (
          <Person id={userId} name={user?.name} email={user?.detail ?? user?.name ?? ''} isInWideRow>
            <Named type="user" id={userId} names={names} />
          </Person>
        )
      },
    },
    {
      key: 'device',
      title: t.device,
      cell: ({ userAgent }) => (
        <span title={userAgent ?? undefined}>{deviceOf(userAgent) ?? t.unknownDevice}</span>
      ),
    },
    {
      key: 'system',
      title: t.system,
      cell: ({ systemId }) => <Named type="system" id={systemId} names={names} />,
    },
    {
      key: 'account',
      title: t.organization,
      cell: ({ accountId }) => <Named type="account" id={accountId} names={names} />,
    },
    { key: 'method', title: t.method, cell: (session) => <Method session={session} /> },
    { key: 'ip', title: t.ip, cell: ({ ip }) => <span className="whole">{ip}</span> },
    {
      key: 'since',
      title: t.since,
      sort: 'createdAt' as const,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    { key: 'seen', title: t.lastSeen, cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
    { key: 'ends', title: t.ends, cell: ({ expiresAt }) => <Time at={expiresAt} />, isExtra: true },
    { key: 'id', title: 'ID', cell: ({ jti }) => <code>{jti}</code>, isExtra: true },
  ]
}
