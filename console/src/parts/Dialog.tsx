import { lazy, Suspense, useState } from 'react'
import type { DialogProps } from './DialogBox.tsx'

const DialogBox = lazy(() => import('./DialogBox.tsx'))

/**
 * What has the focus when a dialog is rendered first, before its own fields get it. An item of a menu is gone
 * when the dialog is closed: the button of the menu stands for it.
 */
function openerNow(): Element | null {
  const { activeElement } = document
  const menu = activeElement?.closest('[role=menu]')
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : activeElement
}

/** A modal dialog. Render it while it is open; the focus returns to where it was. The first one loads it. */
export function Dialog(props: Omit<DialogProps, 'opener'>) {
  const [opener] = useState(openerNow)
  return (
    <Suspense>
      <DialogBox {...props} opener={opener} />
    </Suspense>
  )
}
