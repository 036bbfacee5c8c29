/** Programs that the checks run, and what they need that a machine may not have. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

/** 20 MB: the output of a program may be long. */
const execute = promisify(execFile)
const LIMITS = { maxBuffer: 20_000_000 }

export type Ended = { code: number; stdout: string; stderr: string }
type Where = { cwd?: string; env?: NodeJS.ProcessEnv }

/** Runs a program to its end, whatever its exit code. */
export const run = (program: string, args: string[], where: Where = {}): Promise<Ended> =>
  execute(program, args, { ...LIMITS, ...where }).then(
    (output) => ({ code: 0, ...output }),
    ({ code, stdout = '', stderr = '', message }) => ({ code, stdout, stderr: stderr || message }),
  )

/** Runs a program that must succeed. Returns its output. */
export async function output(program: string, args: string[], where: Where = {}): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, where)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${code}: ${stderr}${stdout}`)
  return stdout
}

/** Skips the test, with a message, if one of the programs is not in PATH. Returns whether it did. */
export async function isSkippedWithout(t: TestContext, ...programs: string[]): Promise<boolean> {
  for (const program of programs) {
    const { code } = await run('sh', ['-c', `command -v ${program}`])
    if (code === 0) continue
    t.skip(`${program} is not installed (docs/commands.md)`)
    return true
  }
  return false
}

/** A folder for all checks, removed at the end. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-checks-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

type Started = { url: string; output(): string; stop(): Promise<number | null> }

/** 120 s, in ms: the machine may be busy. */
const START_MAX = 120_000

/** Starts a server program and resolves when it prints that it is ready. It is stopped after the test. */
export async function startProgram(
  t: TestContext,
  [program = '', ...args]: string[],
  { env, cwd, port, ready }: { env: NodeJS.ProcessEnv; cwd: string; port: number; ready: RegExp },
): Promise<Started> {
  const child: ChildProcess = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (part) => {
      text += part
    })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const stop = () => {
    child.kill('SIGTERM')
    return ended
  }
  t.after(stop)
  const deadline = Date.now() + START_MAX
  while (!ready.test(text)) {
    const isRunning = await Promise.race([ended.then(() => false), pause(100).then(() => true)])
    if (!isRunning || Date.now() > deadline) throw new Error(`${program} did not become ready: ${text}`)
  }
  return { url: `http://localhost:${port}`, output: () => text, stop }
}
