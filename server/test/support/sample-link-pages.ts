/** Sample pages on which a user confirms linking a provider. */
import type { SystemLook } from '../../src/ui/layout.ts'
import { linkPage } from '../../src/ui/pages/self-service/link.ts'
import { readerOf } from './sample-names.ts'

type Given = { acme: SystemLook; email: string; longEmail: string; HOSTILE: string }

const page = { csrf: 'c5rf"token', action: '/account/security/link', cancel: '/account/security' }

export const linkPages = ({ acme, email, longEmail, HOSTILE }: Given): Record<string, { html: string }> => ({
  'settings-link': {
    html: linkPage({
      ...readerOf(acme, email),
      ...page,
      locale: 'en',
      user: { email },
      provider: 'Google',
      identity: { email: 'alice.martin@gmail.example', name: null },
    }),
  },
  'settings-link-none': {
    html: linkPage({
      ...readerOf(acme, email),
      ...page,
      locale: 'es',
      user: { email },
      provider: 'Apple',
      identity: { email: null, name: null },
    }),
  },
  'settings-link-long': {
    html: linkPage({
      ...readerOf(acme, email),
      ...page,
      locale: 'pt',
      user: { email: longEmail },
      provider: HOSTILE,
      identity: { email: null, name: HOSTILE },
    }),
  },
})
