/** PgBouncer in transaction mode, for tests: `PGBOUNCER` is its path, by default that in PATH. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, unprivileged } from './postgres.ts'

const PROGRAM = process.env.PGBOUNCER ?? 'pgbouncer'

/** Why its tests are skipped; false if it is installed and supports prepared statements. */
export function withoutPgbouncer(): string | false {
  try {
    const [, minor] =
      /^PgBouncer 1\.(\d+)/.exec(execFileSync(PROGRAM, ['--version'], { encoding: 'utf8' })) ?? []
    return Number(minor) >= 21 ? false : 'requires PgBouncer 1.21 or newer'
  } catch {
    return 'PgBouncer is not installed'
  }
}

/** Starts one in front of a server. `settings` are lines of its configuration. */
export async function startPgbouncer(
  postgresUrl: string,
  settings: string[],
): Promise<{ url: string; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-pgbouncer-'))
  const port = await freePort()
  const { hostname, port: serverPort, username, password, pathname } = new URL(postgresUrl)
  const name = pathname.slice(1)
  const lines = [
    '[databases]',
    `${name} = host=${hostname} port=${serverPort} user=${username} password=${password}`,
    '[pgbouncer]',
    `listen_port = ${port}`,
    'listen_addr = 127.0.0.1',
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    ...settings,
  ]
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(file, lines.join('\n'))
  execFileSync('chmod', ['-R', 'a+rX', folder])
  const child = spawn(PROGRAM, ['--quiet', file], { ...unprivileged(), cwd: '/', stdio: 'ignore' })
  await listening(child, port)
  return {
    url: `postgres://${username}@127.0.0.1:${port}/${name}`,
    async close() {
      const gone = once(child, 'exit')
      child.kill('SIGQUIT')
      await gone
      rmSync(folder, { recursive: true })
    },
  }
}

/** Up to 5 s in steps of 20 ms. */
async function listening(child: ChildProcess, port: number): Promise<void> {
  for (let step = 0; step < 250; step += 1) {
    if (child.exitCode !== null) break
    const socket = connect(port, '127.0.0.1')
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isOpen) return
    await new Promise((passed) => setTimeout(passed, 20))
  }
  throw new Error('PgBouncer did not start')
}
