import { lazy, Suspense } from 'react'
import type { DialogProps } from './DialogBox.tsx'

const DialogBox = lazy(() => import('./DialogBox.tsx'))

/** A modal dialog. Render it while it is open; the focus returns to where it was. The first one loads it. */
export const Dialog = (props: DialogProps) => (
  <Suspense>
    <DialogBox {...props} />
  </Suspense>
)
