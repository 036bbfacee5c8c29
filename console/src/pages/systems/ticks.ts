/** The steps of a quick start that the developer has ticked, kept in this browser. */
import { useState } from 'react'

export type Step = 'files' | 'variables' | 'start'

const keyOf = (systemId: string) => `quick-start:${systemId}`

/** A browser can refuse its storage, or have another value there. */
function read(systemId: string): readonly unknown[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(systemId)) ?? '[]')
    return Array.isArray(stored) ? stored : []
  } catch {
    return []
  }
}

/** `isDone`: all of them, since a user has signed in. */
export function useTicks(systemId: string, isDone: boolean) {
  const [ticked, setTicked] = useState(() => read(systemId))
  return (step: Step) => ({
    isDone: isDone || ticked.includes(step),
    onTick: isDone
      ? undefined
      : (isTicked: boolean) => {
          const next = [...ticked.filter((each) => each !== step), ...(isTicked ? [step] : [])]
          setTicked(next)
          try {
            localStorage.setItem(keyOf(systemId), JSON.stringify(next))
          } catch {
            // The tick is kept until the page is left.
          }
        },
  })
}
