/** The picture of an organization: its logo, else the first letter of its name in its color. */
import { hueOf, initialOf, isShownImage } from '../texts/brand.ts'
import { type Html, html, render } from './html.ts'
import { fillOf } from './paint.ts'

/** What active members see of an organization. */
export type OrganizationLook = { logoUrl?: string | undefined; color?: string | undefined }

/** A letter in a color, as the address of an image. */
export function letterImage(name: string, color: string | undefined): string {
  const { fill, onFill } = fillOf(color)
  const initial = render(html`${initialOf(name)}`)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${fill}"/><text x="16" y="23" text-anchor="middle" font-family="system-ui,sans-serif" font-size="19" font-weight="600" fill="${onFill}">${initial}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

type Pictured = OrganizationLook & { id: string; name: string }

/** Decorative: the name stands beside it. `size`: a class. */
export function avatarOf({ id, name, logoUrl, color }: Pictured, size?: 'l' | 'xs'): Html {
  const kind = size === undefined ? 'avatar' : `avatar ${size}`
  const image = isShownImage(logoUrl) ? logoUrl : color && letterImage(name, color)
  if (!image) return html`<span class="${kind} hue${hueOf(id)}" aria-hidden="true">${initialOf(name)}</span>`
  return html`<img class="${kind}" src="${image}" alt="" width="40" height="40" referrerpolicy="no-referrer">`
}
