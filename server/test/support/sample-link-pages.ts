/** Sample pages on which a user confirms linking a provider. */
import { linkPage } from '../../src/ui/pages/self-service/link.ts'

type Given = { email: string; longEmail: string; HOSTILE: string }

const page = { csrf: 'c5rf"token', action: '/account/security/link', cancel: '/account/security' }

export const linkPages = ({ email, longEmail, HOSTILE }: Given): Record<string, { html: string }> => ({
  'settings-link': {
    html: linkPage({
      ...page,
      locale: 'en',
      user: { email },
      provider: 'Google',
      person: { email: 'alice.martin@gmail.example', name: null },
    }),
  },
  'settings-link-none': {
    html: linkPage({
      ...page,
      locale: 'es',
      user: { email },
      provider: 'Apple',
      person: { email: null, name: null },
    }),
  },
  'settings-link-long': {
    html: linkPage({
      ...page,
      locale: 'pt',
      user: { email: longEmail },
      provider: HOSTILE,
      person: { email: null, name: HOSTILE },
    }),
  },
})
