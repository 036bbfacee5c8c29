// Builds the console after `npm ci`, if its packages are installed. It never makes an installation fail.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const vite = () => {
  const manifest = createRequire(import.meta.url).resolve('vite/package.json')
  return join(dirname(manifest), 'bin/vite.js')
}

try {
  const { status } = spawnSync(process.execPath, [vite(), 'build', '--logLevel', 'warn'], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  })
  if (status !== 0) process.stdout.write('The console was not built. Build it: npm run build -w console\n')
} catch {
  process.stdout.write(
    'The console was not built: its packages are development dependencies. Everything else works.\n',
  )
}
