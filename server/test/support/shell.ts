/** Runs the shell commands of our documentation, as a reader does. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { User } from './postgres.ts'

export type Shell = ChildProcessByStdio<Writable, Readable, Readable>

/**
 * Starts a script in bash, which ends at the first command that fails. The script has its own process group:
 * `endShell` ends everything that it started, also when this process exits.
 */
export function startShell(script: string, cwd: string, user?: User): Shell {
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    ...user,
    ...(user && { env: { ...process.env, HOME: cwd } }),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const end = () => endShell(shell)
  process.once('exit', end)
  shell.once('exit', () => process.off('exit', end))
  return shell
}

export function endShell({ pid }: Shell): void {
  try {
    process.kill(-pid!)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // all have ended
  }
}
