import { useRead } from '../../api/queries.ts'
import { count, texts } from '../../texts/texts.ts'
import type { Member, MemberActions } from './useMemberActions.tsx'

type Props = { members: readonly Member[]; actions: MemberActions; clear: () => void }

/** What is done with several members at once. Roles only if all are of one application. */
export function MemberBulk({ members, actions, clear }: Props) {
  const t = texts.members
  const systemId = members[0]?.systemId ?? ''
  const isOne = systemId !== '' && members.every((member) => member.systemId === systemId)
  const roles = useRead('/admin/systems/{systemId}/roles', { path: { systemId } }, { enabled: isOne })
  const inactive = members.filter(({ status }) => status !== 'active')
  const unblocked = members.filter(({ status }) => status !== 'blocked')
  const then = async (done: Promise<boolean>) => (await done) && clear()
  const choice = (label: string, change: 'add' | 'remove') => (
    <select
      aria-label={label}
      value=""
      onChange={(event) => void then(actions.changeRole(members, change, event.target.value))}
    >
      <option value="">{label}…</option>
      {roles.data?.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
  return (
    <>
      <span>{count(texts.parts.selected, members.length)}</span>
      {inactive.length > 0 && (
        <button type="button" onClick={() => void then(actions.setStatus(inactive, 'active'))}>
          {inactive.every(({ status }) => status === 'blocked') ? t.unblock : t.approve}
        </button>
      )}
      {unblocked.length > 0 && (
        <button type="button" onClick={() => void then(actions.setStatus(unblocked, 'blocked'))}>
          {t.block}
        </button>
      )}
      {isOne && choice(t.addRole, 'add')}
      {isOne && choice(t.removeRole, 'remove')}
    </>
  )
}
