/** A sample of every email, with usual or with hostile names. */

import * as adminMessages from '../../src/jobs/email/admin-messages.ts'
import { contentOf, type DrawnEmail, drawEmail } from '../../src/jobs/email/compose.ts'
import type { EmailMessage } from '../../src/jobs/email/enqueue.ts'
import * as messages from '../../src/jobs/email/messages.ts'
import type { BrandedSystem } from '../../src/texts/brand.ts'
import { HOSTILE, LOGO_URL } from './sample-names.ts'

export const BASE = 'https://id.example.com'
const TOKEN = 'tZ0yKc1yq5m3u8nXh2Rr0v9bQwLfEjDs6aGpTiU4oVk'
/** Tries to add a header, a paragraph and markup. */
export const HOSTILE_NAME = `X\r\nBcc: evil@x.example\r\n\r\n<a href=//evil.example>click</a> ${HOSTILE}`

const reader = (locale: string, email = 'alice@northsea.example') => ({ id: 'u1', email, locale })

const invitationOf = (
  system: BrandedSystem | undefined,
  inviter: messages.InvitationShown['inviter'],
): messages.InvitationShown => ({
  accountName: system?.name ?? 'Northsea Shipping',
  system: system ?? { id: 'orders', name: 'Orders' },
  inviter,
  message: inviter && 'We start on Monday.',
  expiresAt: new Date('2026-03-09T09:30:00Z'),
})

const link = (path: string) => `${BASE}${path}?token=${TOKEN}`

/**
 * The emails by the functions of messages.ts and admin-messages.ts, with a suffix for variants. `name`: the
 * name of the provider.
 */
const emailsOf = (
  locale: string,
  system: BrandedSystem | undefined,
  name: string,
): Record<
  keyof typeof messages | keyof typeof adminMessages | `${string}.${string}`,
  EmailMessage | EmailMessage[]
> => ({
  ...credentialEmails(locale, system, name),
  ...accessEmails(locale, system, name),
})

function credentialEmails(locale: string, system: BrandedSystem | undefined, name: string) {
  const alice = reader(locale)
  const moved = reader(locale, 'alice@new.example')
  return {
    passwordChanged: messages.passwordChanged(alice, 'byAdministrator', system),
    'passwordChanged.byLink': messages.passwordChanged(alice, 'byLink'),
    'passwordChanged.atSignIn': messages.passwordChanged(alice, 'atSignIn'),
    'passwordChanged.inSettings': messages.passwordChanged(alice, 'inSettings'),
    passwordReset: messages.passwordReset(alice, system),
    mfaRemoved: messages.mfaRemoved(alice, system),
    identityAdded: messages.identityAdded(alice, system, name),
    connectionLinked: messages.connectionLinked(alice, system, { connection: name, account: 'Acme' }),
    identityRemoved: messages.identityRemoved(alice, system, name),
    identityUnlinked: messages.identityUnlinked(alice, name),
    passwordResetEmail: messages.passwordResetEmail(alice, system, link('/reset-password'), 1_800),
    verificationEmail: messages.verificationEmail(alice, system, link('/verify-email'), 86_400),
    registrationCode: messages.registrationCode(
      { email: alice.email, locale: alice.locale },
      system,
      { code: '048213', href: link('/confirm-registration') },
      86_400,
    ),
    userExists: messages.userExists(alice, system, link('/reset-password'), 1_800),
    emailChangeEmail: messages.emailChangeEmail(moved, link('/change-email'), 1_800),
    emailChangeApprovalEmail: messages.emailChangeApprovalEmail(
      alice,
      moved.email,
      link('/change-email'),
      1_800,
    ),
    emailChanged: messages.emailChanged(alice, moved, 'ByAdministrator', system),
    'emailChanged.self': messages.emailChanged(alice, moved, ''),
    signInCode: messages.signInCode(alice, system, '048213', 600),
    factorAdded: messages.factorAdded(alice, 'totp', system),
    'factorAdded.passkey': messages.factorAdded(alice, 'passkey', system),
    factorRemoved: messages.factorRemoved(alice, 'totp', system),
    'factorRemoved.passkey': messages.factorRemoved(alice, 'passkey'),
    factorRemovedByAdministrator: messages.factorRemovedByAdministrator(alice, 'totp', system),
    'factorRemovedByAdministrator.passkey': messages.factorRemovedByAdministrator(
      alice,
      'passkey',
      undefined,
    ),
    newSignIn: messages.newSignIn(alice, system, '203.0.113.9'),
    recoveryCodesRenewed: messages.recoveryCodesRenewed(alice),
    recoveryCodeUsed: messages.recoveryCodeUsed(alice, system, 8),
    testMessage: messages.testMessage(alice, name, 600),
  }
}

function accessEmails(locale: string, system: BrandedSystem | undefined, name: string) {
  const alice = reader(locale)
  return {
    invitationEmail: messages.invitationEmail(
      { email: alice.email, locale: alice.locale },
      invitationOf(system, { name, email: 'ana@northsea.example' }),
      link('/invitation'),
      604_800,
    ),
    'invitationEmail.byService': messages.invitationEmail(
      { email: alice.email, locale: alice.locale },
      invitationOf(system, null),
      link('/invitation'),
      604_800,
    ),
    accessApproved: messages.accessApproved(alice, system ?? { id: 'orders', name: 'Orders' }, {
      account: name,
      href: link('/start'),
    }),
    'accessApproved.alone': messages.accessApproved(alice, system ?? { id: 'orders', name: 'Orders' }, {
      account: null,
      href: undefined,
    }),
    accessRequested: messages.accessRequested(alice, system ?? { id: 'orders', name: 'Orders' }, {
      member: 'rui@northsea.example',
      account: name,
      approves: true,
      href: link('/account'),
    }),
    'accessRequested.elsewhere': messages.accessRequested(alice, system ?? { id: 'orders', name: 'Orders' }, {
      member: 'rui@northsea.example',
      account: name,
      approves: false,
      href: link('/account'),
    }),
    domainLapsed: adminMessages.domainLapsed(alice, system ?? { id: 'orders', name: 'Orders' }, {
      domain: 'northsea.example',
      account: name,
      href: link('/account'),
    }),
    metadataChanged: adminMessages.metadataChanged(alice, system ?? { id: 'orders', name: 'Orders' }, {
      connection: 'Okta',
      account: name,
      href: link('/account'),
    }),
    certificatesEnd: adminMessages.certificatesEnd(alice, system ?? { id: 'orders', name: 'Orders' }, {
      connection: 'Okta',
      account: name,
      endsAt: new Date('2026-12-24T08:00:00Z'),
      href: link('/account'),
    }),
    memberExempted: adminMessages.memberExempted(alice, system ?? { id: 'orders', name: 'Orders' }, {
      member: 'rui@northsea.example',
      account: name,
      href: link('/account'),
    }),
    signedInExempt: adminMessages.signedInExempt(alice, system ?? { id: 'orders', name: 'Orders' }, {
      member: 'rui@northsea.example',
      account: name,
      ip: '203.0.113.9',
    }),
  }
}

type Sample = EmailMessage & DrawnEmail

const drawn = (message: EmailMessage): Sample => ({
  ...message,
  ...drawEmail(contentOf(message.draft), { name: 'Example ID', baseUrl: BASE }),
})

const flat = (made: Record<string, EmailMessage | EmailMessage[]>): [string, Sample][] =>
  Object.entries(made).flatMap(([name, one]) =>
    Array.isArray(one)
      ? one.map((each, at): [string, Sample] => [`${name}-${at + 1}`, drawn(each)])
      : [[name, drawn(one)] as [string, Sample]],
  )

export const LOOKS = {
  acme: { id: 'acme', name: 'Acme Cloud', branding: { color: '#4f46e5' } },
  northsea: { id: 'northsea', name: 'Northsea', branding: { logoUrl: LOGO_URL, color: '#0f766e' } },
  sunny: { id: 'sunny', name: 'Sunny', branding: { color: '#ffd60a' } },
  night: { id: 'night', name: 'Midnight', branding: { color: '#0b1f4d' } },
} as const satisfies Record<string, BrandedSystem>

/** All emails, alternating between the three languages and several systems. */
export function sampleEmails(): [string, Sample][] {
  const looks = Object.values(LOOKS)
  const languages = ['en', 'pt', 'es']
  return flat(emailsOf('en', LOOKS.acme, 'Google')).map(([name], at) => {
    const made = flat(emailsOf(languages[at % 3]!, looks[at % 4]!, 'Google'))
    return [
      `email-${name.replace(/[.A-Z]/g, (each) => (each === '.' ? '-' : `-${each.toLowerCase()}`))}`,
      made[at]![1],
    ]
  })
}

/** All emails in one language. */
export const emailsIn = (locale: string): [string, Sample][] =>
  flat(emailsOf(locale, LOOKS.northsea, 'Google'))

export const hostileEmails = (locale: string): [string, Sample][] =>
  flat(
    emailsOf(
      locale,
      {
        id: 'hostile',
        name: HOSTILE_NAME,
        branding: { logoUrl: `https://x.example/"onerror="alert(1)`, color: 'red;}*{}' },
      },
      HOSTILE_NAME,
    ),
  )

export const emailKinds = (): string[] => Object.keys(emailsOf('en', undefined, 'Google'))
