import { useState } from 'react'
import { useMe, usePlace } from '../api/context.ts'
import { Dialog } from '../parts/Dialog.tsx'
import { Icon } from '../parts/Icon.tsx'
import { texts } from '../texts/texts.ts'
import { ContextList } from './ContextList.tsx'
import './context-name.css'
import './side-button.css'
import './ContextSwitch.css'

/** The name of the context, which opens the choice of another one. */
export function ContextSwitch() {
  const { contexts } = useMe()
  const { kind, own } = usePlace()
  const [isOpen, setOpen] = useState(false)
  const name = (own ?? contexts.find(({ key }) => key === 'platform'))?.name ?? ''
  const label = (
    <>
      <span className="tile" aria-hidden="true">
        {[...name][0]?.toUpperCase()}
      </span>
      <span className="context-name">
        <strong>{name}</strong>
        <span>{own?.systemName ?? texts.shell[kind]}</span>
      </span>
    </>
  )
  if (contexts.length < 2) return <div className="context">{label}</div>
  return (
    <>
      <button type="button" className="context" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {label}
        <Icon name="chevrons" />
      </button>
      {isOpen && (
        <Dialog title={texts.shell.chooseContext} onClose={() => setOpen(false)}>
          <ContextList onChoose={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  )
}
