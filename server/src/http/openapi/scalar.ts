/**
 * The script of the API page. The npm package contains it as a compressed file (packaging/pack.ts); in a
 * checkout it is part of Scalar's plugin, which needs 18 MB with its dependencies.
 */
import { existsSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import Fastify from 'fastify'

export const PACKED_NAME = 'scalar.js.br'
const PACKED = new URL(PACKED_NAME, import.meta.url)

export async function readScalar(): Promise<Buffer> {
  return existsSync(PACKED) ? promisify(brotliDecompress)(readFileSync(PACKED)) : scalarOfPlugin()
}

async function scalarOfPlugin(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const holder = Fastify()
  await holder.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
  const { rawPayload } = await holder.inject('/docs/js/scalar.js')
  await holder.close()
  return rawPayload
}
