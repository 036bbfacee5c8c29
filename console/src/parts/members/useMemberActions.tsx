import { type ReactNode, useState } from 'react'
import type { Admin } from '../../../../sdk/src/operations.ts'
import { Problem } from '../../api/problem.ts'
import { type Item, useChange } from '../../api/queries.ts'
import { count, fill, texts } from '../../texts/texts.ts'
import { Confirm } from '../Confirm.tsx'
import { useToast } from '../Toasts.tsx'
import { useAct } from '../useAct.ts'
import { useActOnEach } from '../useActOnEach.ts'
import { LastAdmin } from './LastAdmin.tsx'

export type Member = Item<'/admin/memberships'>
type Status = Member['status']
type Input = { member: Member; name: string }

const pathOf = ({ id }: Member) => ({ membershipId: id })

export type MemberActions = {
  /** True if it was done. */
  setStatus: (members: readonly Member[], status: 'active' | 'blocked') => Promise<boolean>
  changeRole: (members: readonly Member[], change: 'add' | 'remove', roleId: string) => Promise<boolean>
  endSessions: (member: Member) => Promise<boolean>
  remove: (member: Member, name: string) => void
  /** What the actions ask. */
  dialogs: ReactNode
}

/** What is done with members, with what happens when the last administrator would be lost. */
export function useMemberActions(): MemberActions {
  const t = texts.members
  const act = useAct()
  const each = useActOnEach()
  const [lastAdmin, setLastAdmin] = useState<Member>()
  const [removing, setRemoving] = useState<Input>()
  const onError = (error: Error, member: Member) => {
    if ((error as Partial<Problem>).code !== 'last_admin') return false
    setLastAdmin(member)
    return true
  }
  const nameOf = ({ user }: Member) => user.email
  return {
    setStatus: (members, status) => {
      const wasPending = members.some((member) => member.status === 'pending')
      const done = status === 'blocked' ? t.blocked : wasPending ? t.approved : t.unblocked
      const to = (next: (member: Member) => Status) => (api: Admin, member: Member) =>
        api.patch('/admin/memberships/{membershipId}', {
          path: pathOf(member),
          body: { status: next(member) },
        })
      return each(
        members,
        to(() => status),
        {
          nameOf,
          onError,
          done: (number) => count(done, number),
          ...(!wasPending && { undo: to((member) => member.status) }),
        },
      )
    },
    changeRole: (members, change, roleId) =>
      each(
        members,
        (api, member) =>
          api.patch('/admin/memberships/{membershipId}/roles', {
            path: pathOf(member),
            body: { [change]: [roleId] },
          }),
        {
          nameOf,
          onError,
          done: (number) => count(change === 'add' ? t.roleAdded : t.roleRemoved, number),
        },
      ),
    endSessions: ({ userId }) =>
      act(
        (api) => api.delete('/admin/sessions/by-user/{userId}', { path: { userId } }),
        texts.sessions.endedAll,
      ),
    remove: (member, name) => setRemoving({ member, name }),
    dialogs: (
      <>
        {removing && (
          <Remove {...removing} onClose={() => setRemoving(undefined)} onLastAdmin={setLastAdmin} />
        )}
        {lastAdmin && <LastAdmin member={lastAdmin} onClose={() => setLastAdmin(undefined)} />}
      </>
    ),
  }
}

type RemoveProps = Input & { onClose: () => void; onLastAdmin: (member: Member) => void }

function Remove({ member, name, onClose, onLastAdmin }: RemoveProps) {
  const t = texts.members
  const toast = useToast()
  const remove = useChange(
    (api, path: ReturnType<typeof pathOf>) => api.delete('/admin/memberships/{membershipId}', { path }),
    {
      onSuccess: () => {
        toast(t.removed)
        onClose()
      },
    },
  )
  const confirm = () =>
    remove.mutate(pathOf(member), {
      onError: (error) => {
        if (!(error instanceof Problem && error.code === 'last_admin')) return
        onClose()
        onLastAdmin(member)
      },
    })
  return (
    <Confirm
      title={fill(t.removeTitle, { name })}
      submit={texts.parts.remove}
      onConfirm={confirm}
      onClose={onClose}
      state={remove}
    >
      <p>{fill(t.removeLead, { name, account: member.account.name })}</p>
    </Confirm>
  )
}
