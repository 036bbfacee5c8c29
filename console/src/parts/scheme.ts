import { useSyncExternalStore } from 'react'

const DARK = matchMedia('(prefers-color-scheme: dark)')

/** The attribute of <html> by which the user has chosen, otherwise the setting of the device. */
const current = () => document.documentElement.dataset.theme ?? (DARK.matches ? 'dark' : 'light')

function subscribe(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  DARK.addEventListener('change', onChange)
  return () => {
    observer.disconnect()
    DARK.removeEventListener('change', onChange)
  }
}

/** The color scheme that is shown, for what style sheets do not draw. */
export const useScheme = (): string => useSyncExternalStore(subscribe, current)
