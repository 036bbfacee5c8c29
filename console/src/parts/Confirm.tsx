import { type ReactNode, useState } from 'react'
import { fill, texts } from '../texts/texts.ts'
import { Dialog } from './Dialog.tsx'
import { FormProblem } from './Failed.tsx'
import './Form.css'

type Props = {
  title: string
  /** What happens, in numbers. */
  children: ReactNode
  submit: string
  /** Default: Cancel. */
  cancel?: string
  /** The user types it, for what cannot be undone. */
  name?: string
  /** False for what takes nothing away. */
  isDanger?: boolean
  onConfirm: () => void
  onClose: () => void
  state: { error: unknown; isPending: boolean }
}

/** Asks before something is deleted, ended or begun. */
export function Confirm({
  title,
  children,
  submit,
  cancel = texts.parts.cancel,
  name,
  isDanger = true,
  onConfirm,
  onClose,
  state,
}: Props) {
  const [typed, setTyped] = useState('')
  const isReady = name === undefined || typed.trim() === name
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady && !state.isPending) onConfirm()
        }}
      >
        <FormProblem error={state.error} />
        {children}
        {name !== undefined && (
          <div className="field">
            <label>
              {fill(texts.parts.typeName, { name })}
              <input value={typed} onChange={(event) => setTyped(event.target.value)} autoComplete="off" />
            </label>
          </div>
        )}
        <div className="dialog-actions">
          <button type="button" onClick={onClose}>
            {cancel}
          </button>
          <button type="submit" className={isDanger ? 'primary danger' : 'primary'} disabled={!isReady}>
            {submit}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
