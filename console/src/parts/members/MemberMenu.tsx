import { useNavigate } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { texts } from '../../texts/texts.ts'
import { MenuItem, MoreMenu } from '../Menu.tsx'
import type { Member, MemberActions } from './useMemberActions.tsx'

type Props = { member: Member; name: string; actions: MemberActions; onEdit: () => void }

/** What can be done with a member; a viewer can only look. */
export function MemberMenu({ member, name, actions, onEdit }: Props) {
  const { key, kind, canChange } = usePlace()
  const navigate = useNavigate()
  const t = texts.members
  const { status, userId, systemId, accountId } = member
  const openUser = () => void navigate({ to: '/$context/users/$userId', params: { context: key, userId } })
  const explain = () =>
    void navigate({
      to: '/$context/explain',
      params: { context: key },
      search: { userId, systemId, accountId },
    })
  return (
    <MoreMenu name={name}>
      {canChange && (
        <>
          {status !== 'active' && (
            <MenuItem onClick={() => void actions.setStatus([member], 'active')}>
              {status === 'pending' ? t.approve : t.unblock}
            </MenuItem>
          )}
          {status !== 'blocked' && (
            <MenuItem onClick={() => void actions.setStatus([member], 'blocked')}>{t.block}</MenuItem>
          )}
          <MenuItem onClick={onEdit}>{t.edit}</MenuItem>
          <MenuItem onClick={() => void actions.endSessions(member)}>{texts.sessions.endAll}</MenuItem>
        </>
      )}
      {kind !== 'account' && <MenuItem onClick={openUser}>{t.openUser}</MenuItem>}
      <MenuItem onClick={explain}>{t.explain}</MenuItem>
      {canChange && (
        <MenuItem danger onClick={() => actions.remove(member, name)}>
          {t.remove}
        </MenuItem>
      )}
    </MoreMenu>
  )
}
