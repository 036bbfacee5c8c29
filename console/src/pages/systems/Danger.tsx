import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useChange, useContextKey, useRead } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { count, fill, formatNumber, templateOf, texts } from '../../texts/texts.ts'
import type { System } from './system.ts'
import './Danger.css'

type Props = { system: System }

/** What users or the whole application lose. */
export function Danger({ system }: Props) {
  const { kind } = usePlace()
  return (
    <>
      <SignOut system={system} />
      {kind === 'platform' && !system.platform && <Delete system={system} />}
    </>
  )
}

/** Ends all sessions of the application. */
function SignOut({ system }: Props) {
  const [isOpen, setOpen] = useState(false)
  const toast = useToast()
  const t = texts.settings
  const { id: systemId, name } = system
  const { data } = useRead('/admin/sessions', { query: { systemId, page: 1, pageSize: 1 } })
  const end = useChange((api) => api.delete('/admin/sessions/by-system/{systemId}', { path: { systemId } }), {
    onSuccess: ({ ended }) => {
      setOpen(false)
      toast(count(texts.sessions.ended, ended))
    },
  })
  return (
    <section className="panel danger-panel">
      <h2>{t.signOutAll}</h2>
      <p>{t.signOutAllLead}</p>
      {data?.total === 0 ? (
        <p className="muted">{texts.sessions.empty}</p>
      ) : (
        <button type="button" className="danger" disabled={!data} onClick={() => setOpen(true)}>
          {t.signOutAll}
        </button>
      )}
      {isOpen && data && (
        <Confirm
          title={fill(t.signOutAllTitle, { name })}
          submit={t.signOutAll}
          onConfirm={() => end.mutate(undefined)}
          onClose={() => setOpen(false)}
          state={end}
        >
          <p>{endsOf(data.total)}</p>
          <p>{t.signOutAllLead}</p>
        </Confirm>
      )}
    </section>
  )
}

/** Up to here the number of sessions is exact. */
const COUNTED = 10_000

function endsOf(total: number): string {
  const t = texts.settings
  const more = fill(texts.parts.moreThan, { total: formatNumber(COUNTED) })
  return total > COUNTED ? fill(t.sessionsEnd.other, { count: more }) : count(t.sessionsEnd, total)
}

function Delete({ system }: Props) {
  const [isOpen, setOpen] = useState(false)
  const t = texts.settings
  return (
    <section className="panel danger-panel">
      <h2>{t.delete}</h2>
      <p>{t.deleteLead}</p>
      <Losses system={system} />
      <p>{t.keeps}</p>
      <button type="button" className="danger" onClick={() => setOpen(true)}>
        {t.delete}
      </button>
      {isOpen && <Remove system={system} onClose={() => setOpen(false)} />}
    </section>
  )
}

/** What is deleted with it, in numbers. */
function Losses({ system }: Props) {
  const t = texts.settings
  const query = { systemId: system.id, page: 1, pageSize: 1 }
  const members = useRead('/admin/memberships', { query })
  const accounts = useRead('/admin/accounts', { query })
  const sessions = useRead('/admin/sessions', { query })
  const webhooks = useRead('/admin/webhooks', { query })
  const numbers = [
    [t.deletesMembers, members],
    [t.deletesAccounts, accounts],
    [t.deletesSessions, sessions],
    [t.deletesWebhooks, webhooks],
  ] as const
  return (
    <>
      <p>{t.deletes}</p>
      <ul>
        {numbers.map(([forms, { data }]) => (
          <li key={templateOf(forms.other)}>{data ? count(forms, data.total) : '…'}</li>
        ))}
        <li>{t.deletesRest}</li>
      </ul>
    </>
  )
}

function Remove({ system, onClose }: { system: System; onClose: () => void }) {
  const context = useContextKey()
  const navigate = useNavigate()
  const toast = useToast()
  const t = texts.settings
  const { id: systemId, name } = system
  const remove = useChange((api) => api.delete('/admin/systems/{systemId}', { path: { systemId } }), {
    onSuccess: () => {
      toast(fill(t.deleted, { name }))
      void navigate({ to: '/$context/systems', params: { context } })
    },
  })
  return (
    <Confirm
      title={fill(t.deleteTitle, { name })}
      submit={texts.parts.delete}
      name={name}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
      state={remove}
    >
      <p>{t.deleteLead}</p>
    </Confirm>
  )
}
