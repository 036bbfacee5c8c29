import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange, useContextKey } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { type Connection, ONE, pathOf } from '../../parts/connections/connection.ts'
import { MenuItem, MoreMenu } from '../../parts/Menu.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { useAct } from '../../parts/useAct.ts'
import { count, fill, texts } from '../../texts/texts.ts'
import { TestConnection } from './TestConnection.tsx'

type Open = 'test' | 'off' | 'sessions' | 'delete'

/** `isOurs`: no higher authority has set it up. `mayChange`: single sign-on can be set up as well. */
type Props = { connection: Connection; isOurs: boolean; mayChange: boolean }

/** What can be done with a connection; the next step of its setup first. */
export function ConnectionActions({ connection, isOurs, mayChange }: Props) {
  const t = texts.connections
  const act = useAct()
  const [open, setOpen] = useState<Open>()
  const { enabled, missing, testedAt, changedSinceTest } = connection
  if (!isOurs) return null
  const path = pathOf(connection)
  const turnOn = () => act((api) => api.patch(ONE, { path, body: { enabled: true } }), t.turnedOn)
  const canTest = mayChange && missing.length === 0
  const isTested = testedAt !== null
  const isNext = { test: !isTested || changedSinceTest, on: isTested && !enabled && !changedSinceTest }
  const onClose = () => setOpen(undefined)
  return (
    <>
      {canTest && (
        <button type="button" className={isNext.test ? 'primary' : ''} onClick={() => setOpen('test')}>
          {isTested ? t.testAgain : t.test}
        </button>
      )}
      {mayChange && isTested && !enabled && (
        <button type="button" className={isNext.on ? 'primary' : ''} onClick={() => void turnOn()}>
          {t.turnOn}
        </button>
      )}
      <MoreMenu name={connection.name}>
        {enabled && <MenuItem onClick={() => setOpen('off')}>{t.turnOff}</MenuItem>}
        <MenuItem onClick={() => setOpen('sessions')}>{texts.sessions.endAll}</MenuItem>
        <MenuItem danger onClick={() => setOpen('delete')}>
          {texts.parts.delete}
        </MenuItem>
      </MoreMenu>
      {open === 'test' && <TestConnection connection={connection} onTurnOn={turnOn} onClose={onClose} />}
      {open === 'off' && <TurnOff connection={connection} onClose={onClose} />}
      {open === 'sessions' && <EndSessions connection={connection} onClose={onClose} />}
      {open === 'delete' && <Delete connection={connection} onClose={onClose} />}
    </>
  )
}

type DialogProps = { connection: Connection; onClose: () => void }

function TurnOff({ connection, onClose }: DialogProps) {
  const t = texts.connections
  const toast = useToast()
  const change = useChange(
    (api, path: ReturnType<typeof pathOf>) => api.patch(ONE, { path, body: { enabled: false } }),
    {
      onSuccess: () => {
        toast(t.turnedOff)
        onClose()
      },
    },
  )
  return (
    <Confirm
      title={fill(t.turnOffTitle, { name: connection.name })}
      submit={t.turnOff}
      state={change}
      onConfirm={() => change.mutate(pathOf(connection))}
      onClose={onClose}
    >
      <p>{t.turnOffLead}</p>
    </Confirm>
  )
}

function EndSessions({ connection, onClose }: DialogProps) {
  const t = texts.connections
  const toast = useToast()
  const end = useChange((api, path: ReturnType<typeof pathOf>) => api.delete(`${ONE}/sessions`, { path }), {
    onSuccess: ({ ended }) => {
      toast(count(texts.sessions.ended, ended))
      onClose()
    },
  })
  return (
    <Confirm
      title={fill(t.endSessionsTitle, { name: connection.name })}
      submit={texts.sessions.endAll}
      state={end}
      onConfirm={() => end.mutate(pathOf(connection))}
      onClose={onClose}
    >
      <p>{t.endSessionsLead}</p>
    </Confirm>
  )
}

function Delete({ connection, onClose }: DialogProps) {
  const t = texts.connections
  const context = useContextKey()
  const toast = useToast()
  const navigate = useNavigate()
  const { accountId, name } = connection
  const remove = useChange(
    async (api, path: ReturnType<typeof pathOf>) => {
      await api.delete(ONE, { path })
      // Before this page reads the connection again.
      if (context.startsWith('account:'))
        await navigate({ to: '/$context/single-sign-on', params: { context } })
      else
        await navigate({
          to: '/$context/accounts/$accountId',
          params: { context, accountId },
          search: { tab: 'sso' },
        })
    },
    { onSuccess: () => toast(t.deleted) },
  )
  return (
    <Confirm
      title={fill(t.deleteTitle, { name })}
      submit={texts.parts.delete}
      state={remove}
      onConfirm={() => remove.mutate(pathOf(connection))}
      onClose={onClose}
    >
      <p>{t.removeLead}</p>
    </Confirm>
  )
}
