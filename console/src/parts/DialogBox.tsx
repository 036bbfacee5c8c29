import { Dialog as Base } from '@base-ui/react/dialog'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { texts } from '../texts/texts.ts'
import { Icon } from './Icon.tsx'
import './DialogBox.css'

export type DialogProps = {
  title: string
  onClose: () => void
  children: ReactNode
  /** A panel at the side, for what belongs to a row of a list. */
  side?: boolean
}

/** What closes each open dialog, the uppermost last. */
const closers: (() => void)[] = []
let closedBy: Event | undefined

/**
 * Closes the uppermost dialog only. Escape reaches each of two dialogs, and the lower one alone while the
 * upper one is not ready for keys; a click in the upper one is outside of the lower one.
 */
function useClosing(onClose: () => void) {
  const latest = useRef(onClose)
  latest.current = onClose
  const own = useRef(() => latest.current()).current
  useLayoutEffect(() => {
    closers.push(own)
    return () => void closers.splice(closers.lastIndexOf(own), 1)
  }, [own])
  return (isOpen: boolean, { event, reason }: Base.Root.ChangeEventDetails) => {
    const uppermost = closers.at(-1)
    if (isOpen || closedBy === event || (uppermost !== own && reason !== 'escape-key')) return
    closedBy = event
    uppermost?.()
  }
}

const DialogBox = ({ title, onClose, children, side = false }: DialogProps) => {
  const onOpenChange = useClosing(onClose)
  return (
    <Base.Root open onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className={side ? 'dialog side-dialog' : 'dialog'}>
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
