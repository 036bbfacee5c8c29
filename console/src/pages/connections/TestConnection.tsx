import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useChange, useContextKey, useRead } from '../../api/queries.ts'
import { Copy } from '../../parts/Copy.tsx'
import { type Connection, ONE, pathOf } from '../../parts/connections/connection.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { FormProblem } from '../../parts/Failed.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { texts } from '../../texts/texts.ts'
import '../../parts/status-line.css'

type Props = { connection: Connection; onTurnOn: () => Promise<boolean>; onClose: () => void }

/** 3 s, in ms. */
const POLL = 3_000

/** Requests a test, which a browser then does, and waits for its success. A failed one is shown there. */
export function TestConnection({ connection, onTurnOn, onClose }: Props) {
  const t = texts.connections
  const context = useContextKey()
  const client = useQueryClient()
  const [before] = useState(connection.testedAt)
  const path = pathOf(connection)
  const request = useChange((api) => api.post(`${ONE}/test`, { path }))
  const isWaiting = request.data !== undefined && connection.testedAt === before
  const { data } = useRead(ONE, { path }, isWaiting ? { refetchInterval: POLL } : {})
  const isPassed = request.data !== undefined && data !== undefined && data.testedAt !== before
  useEffect(() => {
    if (isPassed) void client.invalidateQueries({ queryKey: [context] })
  }, [isPassed, client, context])
  return (
    <Dialog title={t.test} onClose={onClose}>
      {isPassed ? (
        <Passed isOff={!connection.enabled} onTurnOn={onTurnOn} onClose={onClose} />
      ) : request.data ? (
        <Waiting url={request.data.testUrl} />
      ) : (
        <>
          <p>{t.testHint}</p>
          <FormProblem error={request.error} />
          <div className="dialog-actions">
            <button type="button" onClick={onClose}>
              {texts.parts.cancel}
            </button>
            <button
              type="button"
              className="primary"
              aria-disabled={request.isPending}
              onClick={() => !request.isPending && request.mutate(undefined)}
            >
              {t.testLink}
            </button>
          </div>
        </>
      )}
    </Dialog>
  )
}

function Waiting({ url }: { url: string }) {
  const t = texts.connections
  return (
    <>
      <p>{t.testOpenLead}</p>
      <p className="snippet">
        <Copy text={url} />
      </p>
      <p>
        <a className="button primary" href={url} target="_blank" rel="noopener noreferrer">
          {t.testOpen}
        </a>
      </p>
      <div className="status-line" data-state="wait" role="status">
        <Icon name="clock" />
        <p>
          <strong>{t.testWaiting}</strong>
          <br />
          {t.testWaitingLead}
        </p>
      </div>
    </>
  )
}

function Passed({ isOff, onTurnOn, onClose }: Omit<Props, 'connection'> & { isOff: boolean }) {
  const t = texts.connections
  const turnOn = async () => (await onTurnOn()) && onClose()
  return (
    <>
      <div className="status-line" data-state="good" role="status">
        <Icon name="check" />
        <p>
          <strong>{t.outcomes.tested}</strong>
          {isOff && (
            <>
              <br />
              {t.nextOn}
            </>
          )}
        </p>
      </div>
      <div className="dialog-actions">
        <button type="button" onClick={onClose}>
          {texts.parts.close}
        </button>
        {isOff && (
          <button type="button" className="primary" onClick={() => void turnOn()}>
            {t.turnOn}
          </button>
        )}
      </div>
    </>
  )
}
