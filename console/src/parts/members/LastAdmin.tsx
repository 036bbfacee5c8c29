import { usePlace } from '../../api/context.ts'
import { type Item, useRead } from '../../api/queries.ts'
import { fill, texts } from '../../texts/texts.ts'
import { Dialog } from '../Dialog.tsx'
import { Failed } from '../Failed.tsx'
import { useAct } from '../useAct.ts'

type Member = Item<'/admin/memberships'>

/** The members of whom one can become administrator, before the only one ceases to be. */
export function LastAdmin({ member, onClose }: { member: Member; onClose: () => void }) {
  const { kind } = usePlace()
  const t = texts.members
  const act = useAct()
  const { accountId, systemId } = member
  const query = { accountId, status: 'active' as const, pageSize: 50 }
  const members = useRead('/admin/memberships', { query })
  const roles = useRead('/admin/systems/{systemId}/roles', { path: { systemId } })
  const admin = roles.data?.find(
    ({ isAdmin, assignableByAccountAdmins }) => isAdmin && (kind !== 'account' || assignableByAccountAdmins),
  )
  const others = members.data?.data.filter(({ id }) => id !== member.id)
  const promote = async ({ id, user }: Member) => {
    const isDone = await act(
      (api) =>
        api.patch('/admin/memberships/{membershipId}/roles', {
          path: { membershipId: id },
          body: { add: [admin!.id] },
        }),
      fill(t.madeAdmin, { name: user.email }),
    )
    if (isDone) onClose()
  }
  return (
    <Dialog title={t.lastAdminTitle} onClose={onClose}>
      <p>{fill(t.lastAdminLead, { name: member.user.email, account: member.account.name })}</p>
      {members.error && <Failed error={members.error} />}
      {others?.length === 0 && <p className="muted">{t.noOthers}</p>}
      <ul className="rows">
        {others?.map((other) => (
          <li key={other.id}>
            <span>{other.user.email}</span>
            {admin && (
              <button type="button" onClick={() => void promote(other)}>
                {t.makeAdmin}
              </button>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
