/**
 * Work of one kind that many requests have, done for all of them one after the other: the processor then has its code and
 * tables at hand, instead of fetching them again for each request (decision 0038).
 */

/** Makes a stage: who awaits it goes on when this turn of the event loop has been read to its end, with all others who do. */
export function newStage(): () => Promise<void> {
  let waiting: Promise<void> | undefined
  const release = (go: () => void) =>
    setImmediate(() => {
      waiting = undefined
      go()
    })
  return () => {
    waiting ??= new Promise(release)
    return waiting
  }
}
