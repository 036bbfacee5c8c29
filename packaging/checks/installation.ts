/** The package, packed and installed once for all checks. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Archive, pack } from '../pack.ts'
import { output, temporaryFolder } from './tools.ts'

const folder = temporaryFolder()

let packed: Promise<Archive> | undefined
/** The archive, as `npm run package` writes it. */
export const archive = (): Promise<Archive> => {
  packed ??= pack(join(folder, 'archive'))
  return packed
}

/** A new folder for data. */
export function newFolder(name: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  return path
}

let installed: Promise<string> | undefined
/** A folder in which the archive is installed, as an operator does. */
export const installation = (): Promise<string> => {
  installed ??= archive().then(async ({ path }) => {
    const target = newFolder('installed')
    writeFileSync(join(target, 'package.json'), '{}')
    await output('npm', ['install', '--no-audit', '--no-fund', path], { cwd: target })
    return target
  })
  return installed
}

/** Bytes of all files below a folder. */
export function sizeOf(path: string): number {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

/** A path and what its response contains. */
const PAGES: [path: string, status: number, content: RegExp][] = [
  ['/health', 200, /"status":"ok"/],
  ['/jwks', 200, /"keys":\[\{/],
  ['/.well-known/openid-configuration', 200, /"issuer":/],
  ['/openapi.json', 200, /"openapi":"3/],
  ['/docs', 200, /<title>Tenantry API<\/title>/],
  ['/docs/scalar.js', 200, /createApiReference/],
  ['/console', 200, /<script type="module"/],
  ['/account', 200, /<title>/],
]

/** Requests the pages of a server that was just started. */
export async function assertServes(url: string): Promise<void> {
  const cookies = new Map<string, string>()
  for (const [path, status, content] of PAGES) {
    const response = await follow(url + path, cookies)
    assert.deepEqual([path, response.status], [path, status])
    assert.match(response.text, content, path)
  }
  const index = (await follow(`${url}/console`, cookies)).text
  const script = /src="(\/console\/assets\/[^"]+\.js)"/.exec(index)?.[1]
  const compressed = await fetch(`${url}${script}`, { headers: { 'accept-encoding': 'br' } })
  assert.deepEqual([compressed.status, compressed.headers.get('content-encoding')], [200, 'br'])
}

/** The response after all redirects, on which a sign-in sets cookies. */
export async function follow(
  url: string,
  cookies: Map<string, string>,
): Promise<{ status: number; text: string }> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(url, { redirect: 'manual', headers: { cookie, accept: 'text/html' } })
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    cookies.set(name, value)
  }
  const location = response.headers.get('location')
  const text = await response.text()
  return location ? follow(new URL(location, url).href, cookies) : { status: response.status, text }
}
