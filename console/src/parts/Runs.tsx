import { createContext, type ReactNode, useState } from 'react'
import { count, fill, texts } from '../texts/texts.ts'
import { Dialog } from './Dialog.tsx'
import './Runs.css'

/** A change of several resources that goes on, or what has failed in one. */
export type Run =
  | { state: 'running'; done: number; total: number; stop: () => void }
  | { state: 'failed'; faults: { name: string; message: string }[]; retry: () => void }

export const ShowRun = createContext<(run: Run | undefined) => void>(() => {})

/** Shows the progress of changes, and which rows have failed; `useActOnEach` starts one. */
export function Runs({ children }: { children: ReactNode }) {
  const [run, setRun] = useState<Run>()
  return (
    <ShowRun value={setRun}>
      {children}
      {run?.state === 'running' && (
        <div className="run-progress" role="status">
          <progress value={run.done} max={run.total} aria-hidden="true" />
          {fill(texts.parts.progress, { done: run.done, total: run.total })}
          <button type="button" onClick={run.stop}>
            {texts.parts.stop}
          </button>
        </div>
      )}
      {run?.state === 'failed' && <Faults run={run} onClose={() => setRun(undefined)} />}
    </ShowRun>
  )
}

type FaultsProps = { run: Extract<Run, { state: 'failed' }>; onClose: () => void }

function Faults({ run: { faults, retry }, onClose }: FaultsProps) {
  const again = () => {
    onClose()
    retry()
  }
  return (
    <Dialog title={count(texts.parts.notDone, faults.length)} onClose={onClose}>
      <FaultList faults={faults} />
      <div className="dialog-actions">
        <button type="button" onClick={onClose}>
          {texts.parts.close}
        </button>
        <button type="button" className="primary" onClick={again}>
          {texts.parts.tryAgain}
        </button>
      </div>
    </Dialog>
  )
}

/** What has failed, each with its reason. */
export const FaultList = ({ faults }: { faults: readonly { name: string; message: string }[] }) => (
  <ul className="rows">
    {faults.map(({ name, message }) => (
      <li key={name}>
        <div>
          <strong>{name}</strong>
          <p className="fault">{message}</p>
        </div>
      </li>
    ))}
  </ul>
)
