import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { Badge } from '../../parts/Badge.tsx'
import { List } from '../../parts/List.tsx'
import { type Member, useMemberActions } from '../../parts/members/useMemberActions.tsx'
import { Named } from '../../parts/Named.tsx'
import { useNames } from '../../parts/names.ts'
import { Empty, Page } from '../../parts/Page.tsx'
import { Person } from '../../parts/Person.tsx'
import { areShortcutsOn } from '../../parts/shortcuts.ts'
import type { Column } from '../../parts/Table.tsx'
import { Time } from '../../parts/Time.tsx'
import { texts } from '../../texts/texts.ts'
import { approvalsGiven } from './address.ts'
import './ApprovalsPage.css'

const route = getRouteApi('/$context/approvals')

/** The pending memberships of the context. The first one that is not answered yet is marked. */
export function ApprovalsPage() {
  const { kind, canChange } = usePlace()
  const t = texts.members
  const given = approvalsGiven(route.useSearch())
  const pending = useRead('/admin/memberships', given)
  const actions = useMemberActions()
  const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set())
  const rows = (pending.data?.data ?? []).filter(({ id }) => !answered.has(id))
  const names = useNames(rows.flatMap(({ userId, systemId }) => [userId, systemId]))
  const verified = useVerified(rows)
  const answer = async (member: Member, status: 'active' | 'blocked') => {
    setAnswered((before) => new Set(before).add(member.id))
    if (await actions.setStatus([member], status)) return
    setAnswered((before) => new Set([...before].filter((id) => id !== member.id)))
  }
  useKeys(canChange, (key) => {
    if (rows[0]) void answer(rows[0], key === 'a' ? 'active' : 'blocked')
  })
  const columns: Column<Member>[] = [
    {
      key: 'user',
      title: t.user,
      cell: ({ id, userId, user }) => (
        <span className="approval" data-next={(canChange && id === rows[0]?.id) || undefined}>
          <Person id={userId} name={names.of(userId)?.name ?? user.name} email={user.email}>
            <Named type="user" id={userId} names={names} />
          </Person>
        </span>
      ),
    },
    { key: 'account', title: t.askedFor, cell: ({ account }) => account.name },
    ...(kind === 'platform'
      ? [
          {
            key: 'system',
            title: t.system,
            cell: ({ systemId }: Member) => <Named type="system" id={systemId} names={names} />,
          },
        ]
      : []),
    ...(kind === 'account'
      ? []
      : [
          {
            key: 'verified',
            title: t.verified,
            cell: ({ userId }: Member) =>
              verified.has(userId) && (
                <Badge tone={verified.get(userId) ? 'good' : 'wait'}>
                  {verified.get(userId) ? texts.parts.yes : texts.parts.no}
                </Badge>
              ),
          },
        ]),
    {
      key: 'since',
      title: t.since,
      sort: 'createdAt' as const,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    ...(canChange
      ? [
          {
            key: 'answer',
            title: texts.parts.actions,
            isNumber: true,
            cell: (row: Member) => <Answer row={row} answer={answer} />,
          },
        ]
      : []),
  ]
  return (
    <Page
      title={t.approvals}
      lead={
        <>
          {t.approvalsLead}{' '}
          {canChange && rows.length > 0 && <span className="keys-hint">{t.approvalsKeys}</span>}
        </>
      }
      actions={<ApiCalls calls={[{ path: '/admin/memberships', given }]} />}
    >
      <List
        label={t.approvals}
        name="approvals"
        query={{
          ...pending,
          data: pending.data && {
            ...pending.data,
            data: rows,
            total: pending.data.total - pending.data.data.length + rows.length,
          },
        }}
        call={{ path: '/admin/memberships', given }}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ user }) => user.email}
        search={t.search}
        empty={
          <Empty title={t.noApprovals}>
            <p>{t.noApprovalsLead}</p>
          </Empty>
        }
      />
      {actions.dialogs}
    </Page>
  )
}

/** Whether the email address is verified, by user. */
function useVerified(rows: readonly Member[]): ReadonlyMap<string, boolean> {
  const { kind } = usePlace()
  const ids = rows.map(({ userId }) => userId)
  const query = { ids: [...new Set(ids)].sort().join(','), pageSize: 100 }
  const users = useRead('/admin/users', { query }, { enabled: kind !== 'account' && ids.length > 0 })
  const known = users.data?.data ?? []
  return new Map(known.flatMap((user) => ('emailVerified' in user ? [[user.id, user.emailVerified]] : [])))
}

type AnswerProps = { row: Member; answer: (row: Member, status: 'active' | 'blocked') => unknown }

const Answer = ({ row, answer }: AnswerProps) => (
  <span className="button-row">
    <button type="button" onClick={() => void answer(row, 'active')}>
      {texts.members.approve}
    </button>
    <button type="button" className="danger" onClick={() => void answer(row, 'blocked')}>
      {texts.members.block}
    </button>
  </span>
)

/** `a` and `b`, unless the user is typing or has opened something. */
function useKeys(isOn: boolean, onKey: (key: 'a' | 'b') => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      const isTyping = target.closest('input, select, textarea, [role="dialog"], [role="menu"]') !== null
      if (!isOn || isTyping || event.defaultPrevented || !areShortcutsOn()) return
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'a' || event.key === 'b') onKey(event.key)
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  })
}
