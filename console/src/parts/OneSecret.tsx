import type { ReactNode } from 'react'
import { texts } from '../texts/texts.ts'
import { Copy } from './Copy.tsx'
import { Dialog } from './Dialog.tsx'

type Props = { title: string; lead: string; secret: string; children?: ReactNode; onClose: () => void }

/** A secret that no later response has: it is gone when the dialog is closed. */
export const OneSecret = ({ title, lead, secret, children, onClose }: Props) => (
  <Dialog title={title} onClose={onClose}>
    <p>{lead}</p>
    <p className="snippet">
      <Copy text={secret} />
    </p>
    {children}
    <div className="dialog-actions">
      <button type="button" className="primary" onClick={onClose}>
        {texts.settings.done}
      </button>
    </div>
  </Dialog>
)
