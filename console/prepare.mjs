// After `npm ci`: removes what the installed Node does not need, and builds the console. It never makes an
// installation fail: the server logs what is missing.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The Node of the project, which npm has installed before: that of the user may be too old for Vite.
const OWN_NODE = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))
const node = existsSync(OWN_NODE) ? OWN_NODE : process.execPath

// Its headers are for packages that are compiled on installation, and none is.
try {
  const packages = fileURLToPath(new URL('../node_modules/node/node_modules/', import.meta.url))
  for (const name of readdirSync(packages))
    rmSync(join(packages, name, 'include'), { recursive: true, force: true })
} catch {} // they only take space

try {
  const manifest = createRequire(import.meta.url).resolve('vite/package.json')
  const vite = join(dirname(manifest), 'bin/vite.js')
  const { status } = spawnSync(node, [vite, 'build', '--logLevel', 'warn'], {
    cwd: new URL('.', import.meta.url),
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error(`Vite ended with ${status}`)
} catch (error) {
  process.stdout.write(
    `The console has no pages: ${error.message}. To build them: npm run build -w console\n`,
  )
}
