/** A QR code as inline SVG. It is dark on white in every color scheme, as cameras need it. */
import type QRCode from 'qrcode'
import { type Html, html } from './html.ts'

/** Width of the quiet zone in modules (ISO/IEC 18004). */
const QUIET = 4

export async function qrCode(text: string, label: string): Promise<Html> {
  const { default: library } = (await import('qrcode')) as { default: typeof QRCode }
  const { size, data } = library.create(text, { errorCorrectionLevel: 'M' }).modules
  const dark = [...data.keys()].filter((place) => data[place])
  const path = dark
    .map((place) => `M${(place % size) + QUIET} ${Math.floor(place / size) + QUIET}h1v1h-1z`)
    .join('')
  const whole = size + 2 * QUIET
  return html`<svg class="qr" viewBox="0 0 ${whole} ${whole}" width="200" height="200" shape-rendering="crispEdges" role="img" aria-label="${label}"><path fill="#fff" d="M0 0h${whole}v${whole}H0z"/><path d="${path}"/></svg>`
}
