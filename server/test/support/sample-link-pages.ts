/** The page on which a person links another provider, as sample-own-pages.ts has the others. */
import { linkPage } from '../../src/ui/pages/self-service/link.ts'

type Given = { email: string; longEmail: string; HOSTILE: string }

const page = { csrf: 'c5rf"token', action: '/account/security/link', cancel: '/account/security' }

export const linkPages = ({ email, longEmail, HOSTILE }: Given): Record<string, { html: string }> => ({
  'own-link': {
    html: linkPage({
      ...page,
      locale: 'en',
      user: { email },
      provider: 'Google',
      person: { email: 'alice.martin@gmail.example', name: null },
    }),
  },
  'own-link-none': {
    html: linkPage({
      ...page,
      locale: 'es',
      user: { email },
      provider: 'Apple',
      person: { email: null, name: null },
    }),
  },
  'own-link-long': {
    html: linkPage({
      ...page,
      locale: 'pt',
      user: { email: longEmail },
      provider: HOSTILE,
      person: { email: null, name: HOSTILE },
    }),
  },
})
