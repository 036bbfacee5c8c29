/**
 * Headless Chromium from the npm package `@sparticuz/chromium`, with its fonts and, if the machine has no NSS
 * libraries, with its own. It runs with and without root.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const run = promisify(execFile)
const PACKAGE = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'))

/** The variable makes the package unpack its libraries as on Amazon Linux. */
const UNPACK = `import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())`

/** The folder of the unpacked package: unpacked atomically, once per version and user. */
async function unpacked(): Promise<string> {
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }
  const folder = join(tmpdir(), `tenantry-chromium-${version}-${process.getuid?.() ?? 0}`)
  if (!existsSync(folder)) {
    const fresh = mkdtempSync(`${folder}-`)
    await run(process.execPath, ['-e', UNPACK], {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: fresh, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' },
    })
    writeFileSync(join(fresh, 'fonts.conf'), fontSettings(folder))
    try {
      renameSync(fresh, folder)
    } catch (error) {
      rmSync(fresh, { recursive: true, force: true })
      if (!existsSync(folder)) throw error // otherwise another process was faster
    }
  }
  if (statSync(folder).uid !== (process.getuid?.() ?? 0))
    throw new Error(`${folder} belongs to another user.`)
  return folder
}

/** Sets Open Sans as the system font, so that screenshots are equal on every machine. */
function fontSettings(folder: string): string {
  const alias = (family: string, prefer: string) =>
    `<alias binding="same"><family>${family}</family><prefer><family>${prefer}</family></prefer></alias>`
  const families = [
    alias('system-ui', 'Open Sans'),
    alias('sans-serif', 'Open Sans'),
    alias('monospace', 'DejaVu Sans Mono'),
  ].join('')
  return `<?xml version="1.0"?><fontconfig><dir>${folder}/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${folder}/font-cache</cachedir>${families}</fontconfig>`
}

/** Starts a browser; the caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  const folder = await unpacked()
  const executablePath = join(folder, 'chromium')
  const { stdout } = await run('ldd', [executablePath]).catch(() => ({ stdout: 'not found' }))
  const libraries = stdout.includes('not found') ? { LD_LIBRARY_PATH: join(folder, 'al2023/lib') } : {}
  return chromium.launch({
    executablePath,
    // Playwright's defaults disable background requests.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    env: { ...process.env, ...libraries, FONTCONFIG_FILE: join(folder, 'fonts.conf') } as Record<
      string,
      string
    >,
  })
}

let shared: Promise<Browser> | undefined

/** One browser per test process. A file that opens it calls `after(closeBrowser)`. */
export const openBrowser = (): Promise<Browser> => {
  shared ??= launchBrowser()
  return shared
}

export async function closeBrowser(): Promise<void> {
  const open = shared
  shared = undefined
  await (await open)?.close()
}
