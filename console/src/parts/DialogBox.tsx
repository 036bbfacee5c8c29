import { Dialog as Base } from '@base-ui/react/dialog'
import { type ReactNode, useId, useLayoutEffect } from 'react'
import { texts } from '../texts/texts.ts'
import { Icon } from './Icon.tsx'

export type DialogProps = {
  title: string
  onClose: () => void
  children: ReactNode
  /** A panel at the side, for what belongs to a row of a list. */
  side?: boolean
}

/** The open dialogs, the uppermost last. */
const dialogs: string[] = []
let closedBy: Event | undefined

/**
 * Calls `onClose` only for the uppermost dialog: one Escape closes one of two dialogs, also when neither is
 * a part of the other.
 */
function useUppermost(onClose: () => void) {
  const id = useId()
  useLayoutEffect(() => {
    dialogs.push(id)
    return () => void dialogs.splice(dialogs.lastIndexOf(id), 1)
  }, [id])
  return (event: Event) => {
    if (dialogs.at(-1) !== id || closedBy === event) return
    closedBy = event
    onClose()
  }
}

const DialogBox = ({ title, onClose, children, side = false }: DialogProps) => {
  const close = useUppermost(onClose)
  return (
    <Base.Root open onOpenChange={(open, { event }) => !open && close(event)}>
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
