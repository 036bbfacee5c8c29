import { useId, useRef } from 'react'
import { useMe, usePlace } from '../api/context.ts'
import { Avatar } from '../parts/Avatar.tsx'
import { Icon } from '../parts/Icon.tsx'
import { texts } from '../texts/texts.ts'
import { ContextList } from './ContextList.tsx'
import './context-name.css'
import './side-button.css'
import './ContextSwitch.css'

/** The name of the context, and what it is: of one that is only viewed, those of the installation. */
export function useContextName(): { name: string; detail: string } {
  const { contexts } = useMe()
  const { kind, own } = usePlace()
  const name = (own ?? contexts.find(({ key }) => key === 'platform'))?.name ?? ''
  return { name, detail: own?.systemName ?? texts.shell[kind] }
}

/** The name of the context, which opens the choice of another one. */
export function ContextSwitch() {
  const { contexts } = useMe()
  const { key } = usePlace()
  const { name, detail } = useContextName()
  const id = useId()
  const choice = useRef<HTMLDivElement>(null)
  const label = (
    <>
      <Avatar id={key} name={name} isSquare />
      <span className="context-name">
        <strong>{name}</strong>
        <span>{detail}</span>
      </span>
    </>
  )
  if (contexts.length < 2) return <div className="context">{label}</div>
  return (
    <>
      <button type="button" className="context" popoverTarget={id}>
        {label}
        <Icon name="chevrons" />
      </button>
      <div id={id} ref={choice} popover="auto" className="context-choice">
        <h2>{texts.shell.chooseContext}</h2>
        <ContextList onChoose={() => choice.current?.hidePopover()} />
      </div>
    </>
  )
}
