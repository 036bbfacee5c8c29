import { Toast } from '@base-ui/react/toast'
import type { ReactNode } from 'react'
import { texts } from '../texts/texts.ts'
import { Icon } from './Icon.tsx'
import './Toasts.css'

/** 8 s, in ms: how long an action can be undone. */
const UNDO = 8_000

/** Short messages at the edge of the page; `useToast` shows one. */
export const Toasts = ({ children }: { children: ReactNode }) => (
  <Toast.Provider>
    {children}
    <Toast.Portal>
      <Toast.Viewport className="toasts">
        <ToastList />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
)

function ToastList() {
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

/** `undo`: what takes the action back. */
export function useToast(): (message: string, undo?: () => void) => void {
  const { add, close } = Toast.useToastManager()
  return (message, undo) => {
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
}
