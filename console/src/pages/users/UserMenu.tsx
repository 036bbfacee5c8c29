import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { MenuItem, MoreMenu } from '../../parts/Menu.tsx'
import { AddMember } from '../../parts/members/AddMember.tsx'
import { texts } from '../../texts/texts.ts'
import { DeleteUser } from './DeleteUser.tsx'
import { TemporaryPassword } from './TemporaryPassword.tsx'
import type { User } from './user.ts'
import { useUserActions } from './useUserActions.ts'

type Open = 'temporary' | 'delete' | 'add'

/** What can be done with a user. */
export function UserActions({ user }: { user: User }) {
  const { canChange } = usePlace()
  const t = texts.users
  const actions = useUserActions()
  const [open, setOpen] = useState<Open>()
  const { id } = user
  const close = () => setOpen(undefined)
  return (
    <>
      <MoreMenu name={user.email}>
        {canChange && (
          <>
            <MenuItem onClick={() => void actions.sendReset([user])}>{t.sendReset}</MenuItem>
            <MenuItem onClick={() => setOpen('temporary')}>{t.temporary}</MenuItem>
            {!user.emailVerified && (
              <>
                <MenuItem onClick={() => void actions.sendVerification(id)}>{t.sendVerification}</MenuItem>
                <MenuItem onClick={() => void actions.markVerified(id)}>{t.markVerified}</MenuItem>
              </>
            )}
            <MenuItem onClick={() => setOpen('add')}>{t.addTo}</MenuItem>
            <MenuItem onClick={() => void actions.endSessions([user])}>{t.endSessions}</MenuItem>
            <MenuItem onClick={() => void actions.setDisabled([user], !user.disabled)}>
              {user.disabled ? t.enable : t.disable}
            </MenuItem>
          </>
        )}
        <MenuItem onClick={() => void actions.exportFile(id)}>{t.export}</MenuItem>
        {canChange && (
          <MenuItem danger onClick={() => setOpen('delete')}>
            {t.delete}
          </MenuItem>
        )}
      </MoreMenu>
      {open === 'temporary' && <TemporaryPassword userId={id} onClose={close} />}
      {open === 'add' && <AddMember userId={id} onClose={close} />}
      {open === 'delete' && <DeleteUser user={user} onClose={close} />}
    </>
  )
}
