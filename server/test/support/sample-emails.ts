/** Every letter, for one reader and one system: as it is meant, or with names that strain it. */

import type { EmailMessage } from '../../src/jobs/email/enqueue.ts'
import * as letters from '../../src/jobs/email/messages.ts'
import type { Brand } from '../../src/ui/brand.ts'
import { HOSTILE, LOGO_URL } from './sample-names.ts'

export const BASE = 'https://id.example.com'
const TOKEN = 'tZ0yKc1yq5m3u8nXh2Rr0v9bQwLfEjDs6aGpTiU4oVk'
/** Header, paragraph and markup at once, beside the names that strain the pages. */
export const HOSTILE_NAME = `X\r\nBcc: evil@x.example\r\n\r\n<a href=//evil.example>click</a> ${HOSTILE}`

const reader = (locale: string, email = 'alice@northsea.example') => ({ id: 'u1', email, locale })

/** By the functions of letters.ts, and whatever makes them differ. `name`: of providers and of what others chose. */
function emailsOf(
  locale: string,
  system: Brand | undefined,
  name: string,
): Record<keyof typeof letters | `${string}.${string}`, EmailMessage | EmailMessage[]> {
  const alice = reader(locale)
  const link = (path: string) => `${BASE}${path}?token=${TOKEN}`
  const moved = reader(locale, 'alice@new.example')
  return {
    passwordChanged: letters.passwordChanged(alice, 'byAdministrator', system),
    'passwordChanged.byLink': letters.passwordChanged(alice, 'byLink'),
    'passwordChanged.atSignIn': letters.passwordChanged(alice, 'atSignIn'),
    'passwordChanged.onOwnPages': letters.passwordChanged(alice, 'onOwnPages'),
    passwordReset: letters.passwordReset(alice, system),
    mfaRemoved: letters.mfaRemoved(alice, system),
    identityAdded: letters.identityAdded(alice, system, name),
    identityRemoved: letters.identityRemoved(alice, system, name),
    identityUnlinked: letters.identityUnlinked(alice, name),
    passwordResetLink: letters.passwordResetLink(alice, system, link('/reset-password'), 1_800),
    verificationLink: letters.verificationLink(alice, system, link('/verify-email'), 86_400),
    registrationLink: letters.registrationLink(alice, system, link('/verify-email'), 86_400),
    accountExists: letters.accountExists(alice, system, link('/reset-password'), 1_800),
    emailChangeLink: letters.emailChangeLink(moved, link('/change-email'), 1_800),
    emailChangeApprovalLink: letters.emailChangeApprovalLink(
      alice,
      moved.email,
      link('/change-email'),
      1_800,
    ),
    emailChanged: letters.emailChanged(alice, moved, 'ByAdministrator', system),
    'emailChanged.self': letters.emailChanged(alice, moved, ''),
    signInCode: letters.signInCode(alice, system, '048213', 600),
    factorAdded: letters.factorAdded(alice, 'totp', system),
    'factorAdded.passkey': letters.factorAdded(alice, 'passkey', system),
    factorRemoved: letters.factorRemoved(alice, 'totp', system),
    'factorRemoved.passkey': letters.factorRemoved(alice, 'passkey'),
    newSignIn: letters.newSignIn(alice, system, '203.0.113.9'),
    recoveryCodesRenewed: letters.recoveryCodesRenewed(alice),
    recoveryCodeUsed: letters.recoveryCodeUsed(alice, system, 8),
  }
}

const flat = (made: Record<string, EmailMessage | EmailMessage[]>): [string, EmailMessage][] =>
  Object.entries(made).flatMap(([name, one]) =>
    Array.isArray(one)
      ? one.map((each, at): [string, EmailMessage] => [`${name}-${at + 1}`, each])
      : [[name, one] as [string, EmailMessage]],
  )

export const LOOKS = {
  acme: { name: 'Acme Cloud', branding: { color: '#4f46e5' } },
  northsea: { name: 'Northsea', branding: { logoUrl: LOGO_URL, color: '#0f766e' } },
  sunny: { name: 'Sunny', branding: { color: '#ffd60a' } },
  night: { name: 'Midnight', branding: { color: '#0b1f4d' } },
} as const satisfies Record<string, Brand>

/** As the pictures show them: all kinds, in the three languages and in the looks of several systems by turns. */
export function sampleEmails(): [string, EmailMessage][] {
  const looks = Object.values(LOOKS)
  const languages = ['en', 'pt', 'es']
  return flat(emailsOf('en', LOOKS.acme, 'Google')).map(([name], at) => {
    const made = flat(emailsOf(languages[at % 3]!, looks[at % 4]!, 'Google'))
    return [
      `letter-${name.replace(/[.A-Z]/g, (each) => (each === '.' ? '-' : `-${each.toLowerCase()}`))}`,
      made[at]![1],
    ]
  })
}

export const hostileEmails = (locale: string): [string, EmailMessage][] =>
  flat(
    emailsOf(
      locale,
      {
        name: HOSTILE_NAME,
        branding: { logoUrl: `https://x.example/"onerror="alert(1)`, color: 'red;}*{}' },
      },
      HOSTILE_NAME,
    ),
  )

export const emailKinds = (): string[] => Object.keys(emailsOf('en', undefined, 'Google'))
