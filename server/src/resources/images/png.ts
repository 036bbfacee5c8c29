/**
 * Uploaded images: PNG (W3C PNG, third edition), rebuilt from the chunks that draw them. Everything else is
 * dropped: metadata, which may name a person or a place, animation, and data after the image, by which one
 * file can be a page or a script as well.
 */
import { promisify } from 'node:util'
import { constants, crc32, inflate } from 'node:zlib'
import { invalid } from '../../errors.ts'

/** The most pixels of a side. */
export const SIDE_MAX = 1_024

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Samples of a pixel and the allowed bits of each, by color type (section 11.2.1). */
const COLOR_TYPES: Record<number, { samples: number; depths: number[] }> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
}
const GREY = 0
const TRUE_COLOR = 2
const INDEXED = 3

/** Columns and rows of the passes of an interlaced image: first, and distance (section 8.1). */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const
const PLAIN = [[0, 0, 1, 1]] as const

type Chunk = { type: string; data: Buffer }
type Header = {
  width: number
  height: number
  depth: number
  color: number
  isInterlaced: boolean
}

/** The parts of an image that are kept, in their order. */
type Parts = { ihdr: Buffer; plte?: Buffer; trns?: Buffer; idat: Buffer[] }

const refused = (why: string) => invalid('', `must be a PNG image: ${why}`)

/** The image with the chunks IHDR, PLTE, tRNS, IDAT and IEND alone. Throws `invalid_request`. */
export async function rebuiltPng(given: unknown): Promise<Buffer> {
  if (!Buffer.isBuffer(given) || !given.subarray(0, 8).equals(SIGNATURE))
    throw refused('it does not begin with the signature of one')
  const { ihdr, plte, trns, idat } = partsOf(chunksOf(given))
  const header = headerOf(ihdr)
  demandPalette(header, plte)
  demandTransparency(header, plte, trns)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', ihdr),
    ...(plte ? [chunk('PLTE', plte)] : []),
    ...(trns ? [chunk('tRNS', trns)] : []),
    chunk('IDAT', await pixelsOf(header, Buffer.concat(idat))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The chunks up to IEND; what follows is not read. */
function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  let at = SIGNATURE.length
  while (chunks.at(-1)?.type !== 'IEND') {
    if (at + 12 > png.length) throw refused('it is cut off')
    const end = at + 8 + png.readUInt32BE(at)
    if (end + 4 > png.length) throw refused('it is cut off')
    const type = png.toString('latin1', at + 4, at + 8)
    if (!/^[A-Za-z]{4}$/.test(type)) throw refused('it has a chunk without a type')
    if (crc32(png.subarray(at + 4, end)) !== png.readUInt32BE(end))
      throw refused(`the checksum of ${type} is wrong`)
    chunks.push({ type, data: png.subarray(at + 8, end) })
    at = end + 4
  }
  return chunks
}

const KEPT = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']
const ONCE = ['IHDR', 'PLTE', 'tRNS']

/** Throws unless the chunks are in the order of section 5.6. A decoder must know those with a capital. */
function partsOf(chunks: Chunk[]): Parts {
  const unknown = chunks.find(({ type }) => /^[A-Z]/.test(type) && !KEPT.includes(type))
  if (unknown) throw refused(`it has the unknown chunk ${unknown.type}`)
  const kept = chunks.filter(({ type }) => KEPT.includes(type))
  const order = kept.map(({ type }) => type).join(' ')
  if (chunks[0]?.type !== 'IHDR' || !/^IHDR( PLTE)?( tRNS)?( IDAT)+ IEND$/.test(order))
    throw refused('its chunks are not in order')
  const first = chunks.findIndex(({ type }) => type === 'IDAT')
  const last = chunks.findLastIndex(({ type }) => type === 'IDAT')
  if (chunks.slice(first, last + 1).some(({ type }) => type !== 'IDAT'))
    throw refused('its chunks are not in order')
  const [ihdr, plte, trns] = ONCE.map((name) => kept.find(({ type }) => type === name)?.data)
  const idat = kept.filter(({ type }) => type === 'IDAT').map(({ data }) => data)
  return { ihdr: ihdr!, idat, ...(plte && { plte }), ...(trns && { trns }) }
}

function headerOf(ihdr: Buffer): Header {
  if (ihdr.length !== 13) throw refused('its header has another length')
  const [width, height] = [ihdr.readUInt32BE(0), ihdr.readUInt32BE(4)]
  const [depth, color, compression, filter, interlace] = [...ihdr.subarray(8)] as [
    number,
    number,
    number,
    number,
    number,
  ]
  if (width === 0 || height === 0) throw refused('it has no pixels')
  if (width > SIDE_MAX || height > SIDE_MAX)
    throw invalid('', `must have at most ${SIDE_MAX.toLocaleString('en')} pixels a side`)
  if (!COLOR_TYPES[color]?.depths.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1)
    throw refused('its header has values that are not defined')
  return { width, height, depth, color, isInterlaced: interlace === 1 }
}

function demandPalette({ color, depth }: Header, plte: Buffer | undefined): void {
  if (!plte) {
    if (color === INDEXED) throw refused('it has no palette')
    return
  }
  const most = color === INDEXED ? 2 ** depth : 256
  const isAllowed = color === INDEXED || color === TRUE_COLOR || color === 6
  if (!isAllowed || plte.length === 0 || plte.length % 3 !== 0 || plte.length / 3 > most)
    throw refused('its palette is invalid')
}

function demandTransparency({ color }: Header, plte: Buffer | undefined, trns: Buffer | undefined): void {
  if (!trns) return
  const isValid =
    (color === GREY && trns.length === 2) ||
    (color === TRUE_COLOR && trns.length === 6) ||
    (color === INDEXED && trns.length > 0 && trns.length <= plte!.length / 3)
  if (!isValid) throw refused('its transparency is invalid')
}

/** Bytes of a row without the one of its filter, and the number of rows, of each pass that has pixels. */
function passesOf({ width, height, depth, color, isInterlaced }: Header): { bytes: number; rows: number }[] {
  const bits = COLOR_TYPES[color]!.samples * depth
  return (isInterlaced ? ADAM7 : PLAIN)
    .map(([left, top, right, down]) => ({
      columns: Math.ceil((width - left) / right),
      rows: Math.ceil((height - top) / down),
    }))
    .filter(({ columns, rows }) => columns > 0 && rows > 0)
    .map(({ columns, rows }) => ({ bytes: Math.ceil((columns * bits) / 8), rows }))
}

type Inflated = { buffer: Buffer; engine: { bytesWritten: number } }
const inflateWith = promisify(
  (data: Buffer, options: object, done: (error: Error | null, inflated: Inflated) => void) =>
    inflate(data, options, done as unknown as Parameters<typeof inflate>[2]),
)

/**
 * The compressed pixels without what follows them. The header says how many bytes they have: more are not
 * inflated, so that a small file does not fill the memory (8 MB at most).
 */
async function pixelsOf(header: Header, compressed: Buffer): Promise<Buffer> {
  const passes = passesOf(header)
  const size = passes.reduce((sum, { bytes, rows }) => sum + rows * (bytes + 1), 0)
  const options = { maxOutputLength: size, info: true, finishFlush: constants.Z_FINISH }
  const { buffer, engine } = await inflateWith(compressed, options).catch(() => {
    throw refused('its pixels cannot be read')
  })
  if (buffer.length !== size) throw refused('it has fewer pixels than its header says')
  let at = 0
  for (const { bytes, rows } of passes)
    for (let row = 0; row < rows; row++, at += bytes + 1)
      if (buffer[at]! > 4) throw refused('a row has an unknown filter')
  return compressed.subarray(0, engine.bytesWritten)
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
