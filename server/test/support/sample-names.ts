/** A hostile name, a logo and a reader, for pages and emails. */
import type { SystemLook } from '../../src/ui/layout.ts'

const LOGO =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" width="156" height="40"><circle cx="20" cy="20" r="16" fill="#0f766e"/><circle cx="26" cy="20" r="8" fill="#99f6e4"/><text x="44" y="27" font-family="sans-serif" font-size="20" font-weight="700" fill="#134e4a">Northsea</text></svg>',
  )

/** The URL of the only logo. Tests answer it themselves instead of the network. */
export const LOGO_URL = 'https://cdn.northsea.example/logo.svg'
export const logoImage = decodeURIComponent(LOGO.slice(LOGO.indexOf(',') + 1))

export const HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>\u202Eevil</title>'

/** Eight random letters: emails to people who are no members leave out a name with many digits. */
export const word = () =>
  crypto
    .randomUUID()
    .slice(0, 8)
    .replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)]!)

/** A signed-in user who reads a page. */
export const readerOf = (look: SystemLook, email: string, name: string | null = null) => ({
  locale: 'en' as const,
  look: { ...look, next: 'https://app.example/' },
  person: { id: 'u1', email, name },
  zone: null,
})
