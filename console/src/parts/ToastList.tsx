import { Toast } from '@base-ui/react/toast'
import { useEffect, useRef } from 'react'
import { texts } from '../texts/texts.ts'
import { Icon } from './Icon.tsx'
import './Toasts.css'

export type Shown = { message: string; undo?: (() => void) | undefined }

/** 8 s, in ms: how long an action can be undone. */
const UNDO = 8_000

/** `shown`: all messages since the page was loaded. */
export default function ToastList({ shown }: { shown: readonly Shown[] }) {
  return (
    <Toast.Provider>
      <Added shown={shown} />
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <All />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

/** Adds each message once. */
function Added({ shown }: { shown: readonly Shown[] }) {
  const { add, close } = Toast.useToastManager()
  const done = useRef(0)
  useEffect(() => {
    for (const { message, undo } of shown.slice(done.current)) {
      const id: string = add({
        description: message,
        ...(undo && {
          timeout: UNDO,
          actionProps: {
            children: texts.parts.undo,
            onClick: () => {
              close(id)
              undo()
            },
          },
        }),
      })
    }
    done.current = shown.length
  }, [shown, add, close])
  return null
}

function All() {
  const { toasts } = Toast.useToastManager()
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <Toast.Description />
      <Toast.Action className="link" />
      <Toast.Close className="icon-button" aria-label={texts.parts.close}>
        <Icon name="close" />
      </Toast.Close>
    </Toast.Root>
  ))
}
