import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { texts } from '../texts/texts.ts'
import { Icon } from './Icon.tsx'

export type DialogProps = {
  title: string
  onClose: () => void
  children: ReactNode
  /** A panel at the side, for what belongs to a row of a list. */
  side?: boolean
}

const DialogBox = ({ title, onClose, children, side = false }: DialogProps) => (
  <Base.Root open onOpenChange={(open) => !open && onClose()}>
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

export default DialogBox
