import { useSyncExternalStore } from 'react'

/** As wide as the style sheet of the shell has it. */
const WIDE = matchMedia('not (max-width: 52rem)')

function subscribe(onChange: () => void) {
  WIDE.addEventListener('change', onChange)
  return () => WIDE.removeEventListener('change', onChange)
}

/** Whether the navigation is beside the page. A phone does not make what it does not show. */
export const useWide = (): boolean => useSyncExternalStore(subscribe, () => WIDE.matches)
