import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { useEdited } from '../../parts/settings/editing.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { count, fill, texts } from '../../texts/texts.ts'
import type { Account } from './account.ts'

type Props = { account: Account }

/** Ends the access of an organization until it is resumed, apart from what is saved with the form. */
export function Suspension({ account }: Props) {
  const { kind } = usePlace()
  const t = texts.accounts
  const [isOpen, setOpen] = useState(false)
  const isSuspended = account.status === 'suspended'
  const isAbove = kind !== 'platform' && account.suspendedBy.includes('platform')
  return (
    <section className="panel">
      <h2>{isSuspended ? t.resume : t.suspend}</h2>
      <p className="muted">{isAbove ? t.suspendedAbove : isSuspended ? t.resumeHint : t.suspendHint}</p>
      {!isAbove && (
        <button type="button" className={isSuspended ? '' : 'danger'} onClick={() => setOpen(true)}>
          {isSuspended ? t.resume : t.suspend}
        </button>
      )}
      {isOpen && <Ask account={account} onClose={() => setOpen(false)} />}
    </section>
  )
}

function Ask({ account, onClose }: Props & { onClose: () => void }) {
  const t = texts.accounts
  const toast = useToast()
  const { set } = useEdited<Account>()
  const isSuspended = account.status === 'suspended'
  const query = { accountId: account.id, pageSize: 1 }
  const members = useRead('/admin/memberships', { query }).data?.total ?? 0
  const sessions = useRead('/admin/sessions', { query }).data?.total ?? 0
  const change = useChange(
    (api) =>
      api.patch('/admin/accounts/{accountId}', {
        path: { accountId: account.id },
        body: { status: isSuspended ? 'active' : 'suspended' },
      }),
    {
      onSuccess: (saved) => {
        set(saved)
        toast(isSuspended ? t.resumed : t.suspended)
        onClose()
      },
    },
  )
  return (
    <Confirm
      title={fill(isSuspended ? t.resumeTitle : t.suspendTitle, { name: account.name })}
      submit={isSuspended ? t.resume : t.suspend}
      state={change}
      isDanger={!isSuspended}
      onConfirm={() => change.mutate(undefined)}
      onClose={onClose}
    >
      <p>
        {isSuspended
          ? t.resumeLead
          : fill(t.suspendLead, {
              members: count(t.deleteMembers, members),
              sessions: count(t.deleteSessions, sessions),
            })}
      </p>
    </Confirm>
  )
}
