import { Dialog as Base } from '@base-ui/react/dialog'
import { type ReactNode, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import { texts } from '../texts/texts.ts'
import { Icon } from './Icon.tsx'
import './DialogBox.css'

export type DialogProps = {
  title: string
  onClose: () => void
  children: ReactNode
  /** `end`: a panel at the side, for what belongs to a row of a list. `start`: the drawer of a phone. */
  place?: 'end' | 'start'
  /** Gets the focus after the dialog. */
  opener: Element | null
}

/** What closes each open dialog, the uppermost last. */
let closers: readonly (() => void)[] = []
let closedBy: Event | undefined
const listeners = new Set<() => void>()

function setClosers(next: typeof closers): void {
  closers = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/**
 * Closes the uppermost dialog only. Escape reaches each of two dialogs, and the lower one alone while the
 * upper one is not ready for keys; a click in the upper one is outside of the lower one.
 */
function useClosing(onClose: () => void) {
  const latest = useRef(onClose)
  latest.current = onClose
  const own = useRef(() => latest.current()).current
  useLayoutEffect(() => {
    setClosers([...closers, own])
    return () => setClosers(closers.filter((each) => each !== own))
  }, [own])
  const isUppermost = useSyncExternalStore(subscribe, () => closers.at(-1) === own || !closers.includes(own))
  const onOpenChange = (isOpen: boolean, { event, reason }: Base.Root.ChangeEventDetails) => {
    const uppermost = closers.at(-1)
    if (isOpen || closedBy === event || (uppermost !== own && reason !== 'escape-key')) return
    closedBy = event
    uppermost?.()
  }
  return { onOpenChange, isUppermost }
}

const CLASSES = { end: 'dialog side-dialog', start: 'dialog drawer' } as const

/** One dialog is visible at a time: one that asks a further question replaces the one that opened it. */
const DialogBox = ({ title, onClose, children, place, opener }: DialogProps) => {
  const { onOpenChange, isUppermost } = useClosing(onClose)
  return (
    <Base.Root open onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          className={place ? CLASSES[place] : 'dialog'}
          data-covered={!isUppermost || undefined}
          finalFocus={() => (opener instanceof HTMLElement && opener.isConnected ? opener : true)}
        >
          <header>
            <Base.Title>{title}</Base.Title>
            <Base.Close className="icon-button" aria-label={texts.parts.close}>
              <Icon name="close" />
            </Base.Close>
          </header>
          <div className="dialog-body">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

export default DialogBox
