/** nginx as a reverse proxy, for tests: `NGINX` is its path, by default that in PATH. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './postgres.ts'

const PROGRAM = process.env.NGINX ?? 'nginx'

/** Why its tests are skipped; false if it is installed. */
export function withoutNginx(): string | false {
  try {
    execFileSync(PROGRAM, ['-v'], { stdio: 'ignore' })
    return false
  } catch {
    return 'nginx is not installed'
  }
}

/** Starts one in front of a server. `settings` are lines of its `location`. */
export async function startNginx(
  server: string,
  settings: string[],
): Promise<{ url: string; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-nginx-'))
  const port = await freePort()
  const stores = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; master_process off; error_log stderr crit; pid ${folder}/pid; events {}
    http { access_log off; ${stores.join(' ')}
      server { listen 127.0.0.1:${port}; location / { proxy_pass ${server}; ${settings.join(' ')} } } }`,
  )
  const child = spawn(PROGRAM, ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  const url = `http://127.0.0.1:${port}`
  // Up to 5 s in steps of 20 ms.
  for (let step = 0; !(await isListening(url)); step += 1) {
    if (child.exitCode !== null || step === 250) throw new Error(`nginx did not start:\n${log}`)
    await new Promise((passed) => setTimeout(passed, 20))
  }
  return {
    url,
    async close() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
      rmSync(folder, { recursive: true })
    },
  }
}

const isListening = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  )
