/** Builds console/dist, which the server serves at /console (server/src/console/files.ts). */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const DIST = join(import.meta.dirname, 'dist')

/** The server sends the compressed files as they are. */
const compress = (): Plugin => ({
  name: 'compress',
  closeBundle() {
    const files = readdirSync(join(DIST, 'assets')).filter((name) => /\.(js|css)$/.test(name))
    for (const file of files.map((name) => join(DIST, 'assets', name))) {
      const content = readFileSync(file)
      writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }))
      writeFileSync(`${file}.br`, brotliCompressSync(content))
    }
  },
})

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), compress()],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0, // the Content-Security-Policy allows no data: URLs but images
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: 'libraries', test: /node_modules\/(react|react-dom|scheduler|@tanstack)\// }],
        },
      },
    },
  },
})
