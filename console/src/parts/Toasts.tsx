import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useContext,
  useEffect,
  useState,
} from 'react'
import type { Shown } from './ToastList.tsx'

const ToastList = lazy(() => import('./ToastList.tsx'))

/** `undo`: what takes the action back. */
type Show = (message: string, undo?: () => void) => void
const ShowToast = createContext<Show>(() => {})
export const useToast = (): Show => useContext(ShowToast)

/** 3 s, in ms: the first page is shown by then. */
const LATER = 3_000

/**
 * Short messages at the edge of the page; `useToast` shows one. The list is loaded after the first page, and
 * is there before its first message, which a screen reader then announces.
 */
export function Toasts({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<readonly Shown[]>([])
  const [isThere, setThere] = useState(false)
  const show = useCallback<Show>((message, undo) => setShown((before) => [...before, { message, undo }]), [])
  useEffect(() => {
    const timer = setTimeout(() => setThere(true), LATER)
    return () => clearTimeout(timer)
  }, [])
  return (
    <ShowToast value={show}>
      {children}
      {(isThere || shown.length > 0) && (
        <Suspense>
          <ToastList shown={shown} />
        </Suspense>
      )}
    </ShowToast>
  )
}
