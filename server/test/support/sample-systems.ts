/** Systems with different branding for the sample pages: usual ones, and ones with hostile or long values. */
import type { SystemLook } from '../../src/ui/layout.ts'
import { HOSTILE, LOGO_URL } from './sample-names.ts'

export const acme: SystemLook = {
  name: 'Acme Cloud',
  color: '#4f46e5',
  next: 'https://acme.example/login?iss=https%3A%2F%2Fid.example',
  links: {
    terms: 'https://acme.example/terms',
    privacy: 'https://acme.example/privacy',
    help: 'https://acme.example/help',
  },
}
export const plain: SystemLook = { name: 'Ledger' }
export const northsea: SystemLook = {
  name: 'Northsea',
  logoUrl: LOGO_URL,
  color: '#0f766e',
  next: 'https://northsea.example/',
}
export const sunny: SystemLook = { name: 'Sunny', color: '#ffd60a' }
/** Its color must not look like an error. */
export const red: SystemLook = { name: 'Red Cross Bakery', color: '#c62828' }
export const night: SystemLook = { name: 'Midnight', color: '#0b1f4d' }
export const hostile: SystemLook = {
  name: HOSTILE,
  color: 'red;}*{display:none}',
  logoUrl: 'javascript:alert(1)',
}
export const long: SystemLook = {
  name: 'Associação Intermunicipal de Transportes e Telecomunicações do Grande Vale do Rio Paranapanema S.A.',
  color: '#be123c',
}

export const form = { action: '/interaction/sample', csrf: 'c5rf"token' }
export const email = 'alice@northsea.example'
export const longEmail = `${'maximiliane.von-und-zu-hohenlohe.'.repeat(2)}x@${'department-of-international-affairs.'.repeat(2)}example`
export const lengths = { min: 8, max: 128 }
