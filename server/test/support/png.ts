/** Small PNG images, valid and invalid ones. */
import { crc32, deflateSync } from 'node:zlib'

export const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export function pngChunk(type: string, data: Buffer | string = ''): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), Buffer.from(data)])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(named.length - 4)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** `interlace`, `color` and `depth` as in IHDR. */
export function pngHeader({ width = 2, height = 2, depth = 8, color = 6, interlace = 0 } = {}): Buffer {
  const ihdr = Buffer.alloc(13)
  ihdr.writeUInt32BE(width, 0)
  ihdr.writeUInt32BE(height, 4)
  ihdr.set([depth, color, 0, 0, interlace], 8)
  return ihdr
}

/** An image with one color: `#rrggbb`. `before`, `after`: chunks beside the pixels. */
export function pngOf({
  width = 2,
  height = 2,
  color = '#336699',
  before = [],
  after = [],
}: {
  width?: number
  height?: number
  color?: string
  before?: Buffer[]
  after?: Buffer[]
} = {}): Buffer {
  const pixel = Buffer.from(`${color.slice(1)}ff`, 'hex')
  const row = Buffer.concat([Buffer.alloc(1), ...Array.from({ length: width }, () => pixel)])
  const pixels = Buffer.concat(Array.from({ length: height }, () => row))
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', pngHeader({ width, height })),
    ...before,
    pngChunk('IDAT', deflateSync(pixels)),
    ...after,
    pngChunk('IEND'),
  ])
}

/** The chunks of an image: types and data. */
export function pngChunks(png: Buffer): [type: string, data: Buffer][] {
  const chunks: [string, Buffer][] = []
  for (let at = 8; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at)
    chunks.push([png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, end)])
    at = end + 4
  }
  return chunks
}
