/** The server accepts PNG only: the browser of the administrator converts what it can read. */

/** What the server accepts. */
export type ImageLimits = { bytes: number; side: number }

/** Pixels of the longer side of a drawing, which has no size of its own. */
const DRAWING = 512
/** Each attempt has half as many pixels. */
const ATTEMPTS = 12

/** Reads an image that the browser can show. Rejects for another file. */
async function load(file: File): Promise<HTMLImageElement> {
  const address = await new Promise<string>((done, failed) => {
    const reader = new FileReader()
    reader.onload = () => done(String(reader.result))
    reader.onerror = () => failed(reader.error ?? new Error('The file cannot be read.'))
    reader.readAsDataURL(file)
  })
  const image = new Image()
  image.src = address
  await image.decode()
  if (image.naturalWidth === 0 || image.naturalHeight === 0) throw new Error('The image has no size.')
  return image
}

const blobOf = (canvas: HTMLCanvasElement) =>
  new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'))

/** An image as a PNG within the limits, smaller where it has to be. Rejects for what is no image. */
export async function pngOf(file: File, { bytes, side }: ImageLimits): Promise<Uint8Array<ArrayBuffer>> {
  const image = await load(file)
  const longer = Math.max(image.naturalWidth, image.naturalHeight)
  if (file.type === 'image/png' && file.size <= bytes && longer <= side)
    return new Uint8Array(await file.arrayBuffer())
  const isDrawing = file.type === 'image/svg+xml'
  let scale = isDrawing ? Math.min(DRAWING, side) / longer : Math.min(1, side / longer)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++, scale *= Math.SQRT1_2) {
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(image.naturalWidth * scale))
    canvas.height = Math.max(1, Math.round(image.naturalHeight * scale))
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
    const blob = await blobOf(canvas)
    if (blob && blob.size <= bytes) return new Uint8Array(await blob.arrayBuffer())
  }
  throw new Error('The image cannot be made small enough.')
}
