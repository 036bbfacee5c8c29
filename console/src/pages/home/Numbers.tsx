import { usePlace } from '../../api/context.ts'
import { type Answer, useRead } from '../../api/queries.ts'
import { fill, formatNumber, texts } from '../../texts/texts.ts'
import { usersOf } from './address.ts'
import './Numbers.css'

export type Summary = Answer<'/admin/stats/summary'>

type Counted = { day: number; weekBefore: number }

/** The change against the same hours a week before, in words. */
function comparison({ day, weekBefore }: Counted): string {
  const t = texts.home
  if (weekBefore === 0) return t.nothingBefore
  const percent = Math.round(((day - weekBefore) / weekBefore) * 100)
  if (percent === 0) return t.asBefore
  return fill(percent > 0 ? t.more : t.less, { percent: formatNumber(Math.abs(percent)) })
}

/** The numbers of the last day. Those that the context does not have are left out. */
export function InstallationNumbers({ summary }: { summary: Summary }) {
  const t = texts.home
  const { signIns, failures, tokens, activeUsers, activeSessions, members, activeMembers } = summary
  const counted: [string, Counted | undefined][] = [
    [t.signIns, signIns],
    [t.failures, failures],
    [t.tokens, tokens],
  ]
  return (
    <dl className="numbers-row">
      <Users />
      {counted.map(
        ([name, value]) =>
          value && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{formatNumber(value.day)}</dd>
              <dd className="muted">{comparison(value)}</dd>
            </div>
          ),
      )}
      {activeUsers && (
        <div>
          <dt>{t.activeUsers}</dt>
          <dd>{formatNumber(activeUsers.today)}</dd>
          <dd className="muted">{fill(t.in30Days, { count: formatNumber(activeUsers.days30) })}</dd>
        </div>
      )}
      {members !== undefined && (
        <div>
          <dt>{t.members}</dt>
          <dd>{formatNumber(members)}</dd>
          <dd className="muted">{fill(t.activeIn30Days, { count: formatNumber(activeMembers ?? 0) })}</dd>
        </div>
      )}
      <div>
        <dt>{t.sessions}</dt>
        <dd>{formatNumber(activeSessions)}</dd>
        <dd className="muted">{t.now}</dd>
      </div>
    </dl>
  )
}

/** Up to here the number of users is exact. */
const COUNTED = 10_000

/** All users, and those of the last days. The place is there before the numbers are. */
function Users() {
  const t = texts.home
  const { kind } = usePlace()
  const options = { enabled: kind !== 'account' }
  const given = usersOf()
  const all = useRead('/admin/users', given.all, options)
  const added = useRead('/admin/users', given.added, options)
  if (kind === 'account') return null
  const numberOf = (data: { total: number } | undefined) => {
    if (!data) return '…'
    return data.total > COUNTED ? `${formatNumber(COUNTED)}+` : formatNumber(data.total)
  }
  return (
    <div>
      <dt>{texts.shell.users}</dt>
      <dd>{numberOf(all.data)}</dd>
      <dd className="muted">{fill(t.newUsers, { count: numberOf(added.data) })}</dd>
    </div>
  )
}
