/**
 * Creates a stage: all requests that await it in one turn of the event loop continue together after that
 * turn, so that their code and data stay in the processor's cache (decision 0038).
 */
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
