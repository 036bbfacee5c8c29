import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { Badge, type Tone } from '../../parts/Badge.tsx'
import { Confirm } from '../../parts/Confirm.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Table } from '../../parts/Table.tsx'
import { Time } from '../../parts/Time.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { texts } from '../../texts/texts.ts'

const TONES: Record<string, Tone> = { active: 'good', next: 'wait', retired: 'plain' }

/** The keys that sign tokens. */
export function SigningKeys() {
  const t = texts.installation
  const toast = useToast()
  const { canChange } = usePlace()
  const [isAsked, setAsked] = useState(false)
  const keys = useRead('/admin/keys')
  const rotate = useChange((api, _: undefined) => api.post('/admin/keys/rotate'), {
    onSuccess: () => {
      toast(t.rotated)
      setAsked(false)
    },
  })
  if (!keys.data) return keys.error ? <Failed error={keys.error} onRetry={() => void keys.refetch()} /> : null
  const { data, nextRotationAt } = keys.data
  return (
    <>
      <div className="toolbar">
        <p className="muted">
          {t.keysLead} {nextRotationAt && <>{t.nextRotation}: </>}
          {nextRotationAt && <Time at={nextRotationAt} />}
        </p>
        <span className="spacer" />
        <ApiCalls calls={[{ path: '/admin/keys' }, { method: 'POST', path: '/admin/keys/rotate' }]} />
        {canChange && (
          <button type="button" onClick={() => setAsked(true)}>
            {t.rotate}
          </button>
        )}
      </div>
      <Table
        label={t.keys}
        rows={data}
        idOf={({ kid }) => kid}
        nameOf={({ kid }) => kid}
        columns={[
          { key: 'kid', title: t.key, cell: ({ kid, alg }) => <KeyName kid={kid} alg={alg} /> },
          {
            key: 'state',
            title: t.state,
            cell: ({ state }) => <Badge tone={TONES[state] ?? 'plain'}>{t.states[state]}</Badge>,
          },
          { key: 'from', title: t.signsFrom, cell: ({ activeFrom }) => <Time at={activeFrom} none="" /> },
          { key: 'until', title: t.removedAt, cell: ({ removeFrom }) => <Time at={removeFrom} none="" /> },
        ]}
      />
      {isAsked && (
        <Confirm
          title={t.rotate}
          submit={t.rotate}
          state={rotate}
          onClose={() => setAsked(false)}
          onConfirm={() => rotate.mutate(undefined)}
        >
          <p>{t.rotateLead}</p>
        </Confirm>
      )}
    </>
  )
}

const KeyName = ({ kid, alg }: { kid: string; alg: string }) => (
  <>
    <strong>{alg}</strong>
    <code className="below">{kid}</code>
  </>
)
