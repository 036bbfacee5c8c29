/** Builds console/dist, which the server serves at /console (server/src/console/files.ts). */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** The server sends the compressed files as they are. */
const compress = (): Plugin => {
  let assets: string
  return {
    name: 'compress',
    configResolved({ root, build }) {
      assets = resolve(root, build.outDir, build.assetsDir)
    },
    closeBundle() {
      const files = readdirSync(assets).filter((name) => /\.(js|css)$/.test(name))
      for (const file of files.map((name) => join(assets, name))) {
        const content = readFileSync(file)
        writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }))
        writeFileSync(`${file}.br`, brotliCompressSync(content))
      }
    },
  }
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), compress()],
  build: {
    target: 'es2023',
    cssCodeSplit: false, // one file, in the order of the imports: most parts are on the first pages
    assetsInlineLimit: 0, // the Content-Security-Policy allows no data: URLs but images
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'libraries', test: /node_modules\/(react|react-dom|scheduler|@tanstack)\// },
            { name: 'style', test: /src\/style\// }, // a chunk of its own comes before those of the parts
            { name: 'first', tags: ['$initial'], test: (id) => !id.endsWith('/main.tsx') },
          ],
        },
      },
    },
  },
})
