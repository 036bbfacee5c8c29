import { useState } from 'react'
import { AddMember } from '../../parts/members/AddMember.tsx'
import { count, texts } from '../../texts/texts.ts'
import type { User } from './user.ts'
import { useUserActions } from './useUserActions.ts'

type Props = { users: readonly User[]; clear: () => void }

/** What is done with several users at once. */
export function UserBulk({ users, clear }: Props) {
  const t = texts.users
  const actions = useUserActions()
  const [isAdding, setAdding] = useState(false)
  const disabled = users.filter((user) => user.disabled)
  const enabled = users.filter((user) => !user.disabled)
  const then = async (done: Promise<boolean>) => (await done) && clear()
  return (
    <>
      <span>{count(texts.parts.selected, users.length)}</span>
      {enabled.length > 0 && (
        <button type="button" onClick={() => void then(actions.setDisabled(enabled, true))}>
          {t.disable}
        </button>
      )}
      {disabled.length > 0 && (
        <button type="button" onClick={() => void then(actions.setDisabled(disabled, false))}>
          {t.enable}
        </button>
      )}
      <button type="button" onClick={() => void then(actions.endSessions(users))}>
        {t.endSessions}
      </button>
      <button type="button" onClick={() => void then(actions.sendReset(users))}>
        {t.sendReset}
      </button>
      <button type="button" onClick={() => setAdding(true)}>
        {t.addTo}
      </button>
      {isAdding && <AddMember users={users} onClose={() => setAdding(false)} onDone={clear} />}
    </>
  )
}
