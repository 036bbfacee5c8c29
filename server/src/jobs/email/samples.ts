/** Each kind of email with values of a sample, for its preview and its test. */
import type { BrandedSystem } from '../../texts/brand.ts'
import type { Reader } from './compose.ts'
import type { EmailMessage } from './email.ts'
import type { OwnKind } from './kinds.ts'
import * as messages from './messages.ts'

type Sample = { reader: Reader; system: BrandedSystem; href: string }

const IP = '203.0.113.9'
const CODE = '048213'
/** 30 minutes and one day, in seconds. */
const SOON = 1_800
const DAY = 86_400

const SAMPLES: Record<OwnKind, (sample: Sample) => EmailMessage> = {
  password_reset: ({ reader, system, href }) => messages.passwordResetEmail(reader, system, href, SOON),
  email_verification: ({ reader, system, href }) => messages.verificationEmail(reader, system, href, DAY),
  registration: ({ reader, system, href }) =>
    messages.registrationCode(reader, system, { code: CODE, href }, DAY),
  user_exists: ({ reader, system, href }) => messages.userExists(reader, system, href, SOON),
  invitation: ({ reader, system, href }) =>
    messages.invitationEmail(
      reader,
      {
        accountName: 'Northsea Shipping',
        system,
        inviter: { name: 'Ana Silva', email: 'ana@northsea.example' },
        message: null,
        expiresAt: new Date(Date.now() + 7 * DAY * 1_000),
      },
      href,
      DAY,
    ),
  mailed_code: ({ reader, system }) => messages.signInCode(reader, system, CODE, SOON),
  access_approved: ({ reader, system, href }) =>
    messages.accessApproved(reader, system, { account: 'Northsea Shipping', href }),
  access_requested: ({ reader, system, href }) =>
    messages.accessRequested(reader, system, {
      member: 'rui@northsea.example',
      account: 'Northsea Shipping',
      approves: true,
      href,
    }),
  password_changed: ({ reader, system }) => messages.passwordChanged(reader, 'byAdministrator', system),
  password_reset_by_admin: ({ reader, system }) => messages.passwordReset(reader, system),
  email_changed: ({ reader, system }) => messages.emailChanged(reader, reader, 'ByAdministrator', system)[1]!,
  new_device: ({ reader, system }) => messages.newSignIn(reader, system, IP),
  factor_added: ({ reader, system }) => messages.factorAdded(reader, 'passkey', system),
  factor_removed: ({ reader, system }) => messages.factorRemoved(reader, 'passkey', system),
  mfa_removed: ({ reader, system }) => messages.mfaRemoved(reader, system),
  recovery_code_used: ({ reader, system }) => messages.recoveryCodeUsed(reader, system, 8),
  identity_added: ({ reader, system }) => messages.identityAdded(reader, system, 'Google'),
  identity_removed: ({ reader, system }) => messages.identityRemoved(reader, system, 'Google'),
}

export const sampleOf = (kind: OwnKind, sample: Sample): EmailMessage => SAMPLES[kind](sample)
