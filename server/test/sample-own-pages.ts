/** A person's own pages, and the one that connects a provider, as sample-pages.ts has the others. */
import { membershipsPage, passwordPage, sessionsPage } from '../src/account/pages.ts'
import { signInPage } from '../src/account/sign-in-pages.ts'
import type { SystemLook } from '../src/interaction/pages/layout.ts'
import { textsOf } from '../src/interaction/texts.ts'
import { linkPage } from '../src/social/link-page.ts'

type Strain = { acme: SystemLook; long: SystemLook; email: string; longEmail: string; HOSTILE: string }

const csrf = 'c5rf"token'
const own = { csrf, next: '/account', errors: {} }
const lengths = { min: 8, max: 128 }
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0'
const links = { signIn: '/interaction/sample', register: '/interaction/sample/register' }

export const ownPages = ({
  acme,
  long,
  email,
  longEmail,
  HOSTILE,
}: Strain): Record<string, { html: string; system?: SystemLook }> => {
  const session = {
    sid: 's1',
    system: acme.name,
    account: 'Northsea Shipping',
    browserUid: 'here',
    ip: '203.0.113.9',
    userAgent: firefox as string | null,
    createdAt: new Date('2026-03-04T09:12:00Z'),
    lastSeenAt: new Date('2026-03-05T10:00:00Z'),
  }
  const strange = { ...session, sid: 's2', system: long.name, account: HOSTILE, browserUid: 'there', ip: null, userAgent: null }
  const membership = {
    accountId: 'a1',
    account: 'Northsea Shipping',
    kind: 'organization' as const,
    system: acme.name,
    status: 'active' as const,
    roles: ['Editor', 'Reader'],
    allowed: ['openid', 'email'] as string[] | null,
  }
  const blocked = { ...membership, accountId: 'a2', account: long.name, status: 'blocked' as const, roles: [], allowed: null }
  const linking = { action: '/interaction/sample/social/link', csrf, links }
  return {
    'social-link': {
      system: acme,
      html: linkPage({ locale: 'en', system: acme, provider: 'Google', ...linking, values: { email } }),
    },
    'social-link-long': {
      system: long,
      html: linkPage({
        locale: 'pt',
        system: long,
        provider: HOSTILE,
        ...linking,
        values: { email: longEmail },
        errors: { form: textsOf('pt').wrongCredentials },
      }),
    },
    'own-sign-in': { html: signInPage({ locale: 'en', ...own, known: undefined, email: '' }) },
    'own-sign-in-again': { html: signInPage({ locale: 'es', ...own, known: longEmail, email: longEmail }) },
    'own-password': { html: passwordPage({ locale: 'en', csrf, user: { email, hasPassword: true }, lengths }) },
    'own-sessions': { html: sessionsPage({ locale: 'en', csrf, sessions: [session], here: 'here' }) },
    'own-sessions-long': { html: sessionsPage({ locale: 'es', csrf, sessions: [session, strange], here: 'here' }) },
    'own-memberships': { html: membershipsPage({ locale: 'en', csrf, memberships: [membership] }) },
    'own-memberships-long': { html: membershipsPage({ locale: 'pt', csrf, memberships: [membership, blocked] }) },
  }
}
