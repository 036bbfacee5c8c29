/** Processor time of processes, read from /proc (proc(5)); 0 where there is none. */
import { readFileSync } from 'node:fs'

/** USER_HZ: `/proc/PID/stat` counts in hundredths of a second on every architecture that Node supports. */
const TICKS = 100

/** Seconds of user and system time that a process and its children, once they have ended, have used. */
export function processorTime(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, which is in parentheses, can contain spaces. Fields 14 to 17 are the times.
    const times = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
    return times.reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS
  } catch {
    return 0
  }
}

/** The processor time of a process and of all processes below it. */
export function processorTimeOfTree(pid: number): number {
  let children: number[] = []
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
      .map(Number)
  } catch {}
  return children.reduce((sum, child) => sum + processorTimeOfTree(child), processorTime(pid))
}
