/** Sample pages of codes, second factors and passkeys. */

import { textsOf } from '../../src/texts/texts.ts'
import type { SystemLook } from '../../src/ui/layout.ts'
import { enrolPage, factorAddedPage } from '../../src/ui/pages/enrol.ts'
import { mailedCodePage } from '../../src/ui/pages/mailed-code.ts'
import { passkeyOfferPage } from '../../src/ui/pages/passkey-offer.ts'
import { secondFactorPage } from '../../src/ui/pages/second-factor.ts'
import { qrCode } from '../../src/ui/qr.ts'

const step = { action: '/interaction/sample/step', abort: '/interaction/sample/abort', csrf: 'c5rf"token' }
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const uri = `otpauth://totp/Acme%20Cloud:alice%40northsea.example?secret=${secret}&issuer=Acme%20Cloud`
const codes = [
  'ABCDE-FGHIJ',
  'KLMNO-PQRST',
  'UVWXY-Z2345',
  '67ABC-DEFGH',
  'IJKLM-NOPQR',
  'STUVW-XYZ23',
  '4567A-BCDEF',
  'GHIJK-LMNOP',
  'QRSTU-VWXYZ',
  '23456-7ABCD',
]

/** Options of navigator.credentials; no authenticator answers them at the address of the samples. */
export const passkeyOptions = {
  challenge: 'A'.repeat(43),
  rpId: 'localhost',
  timeout: 300_000,
  userVerification: 'required',
  allowCredentials: [],
}

type Looks = Record<'acme' | 'plain' | 'northsea' | 'sunny' | 'night' | 'hostile' | 'long', SystemLook>
type Given = Looks & { email: string; longEmail: string; HOSTILE: string }

type Pages = Record<string, { html: string; system?: SystemLook }>

export const factorPages = async (given: Given): Promise<Pages> => ({
  ...mailedCodePages(given),
  ...refusedCodePages(given),
  ...secondFactorPages(given),
  ...(await enrolPages(given)),
  ...offerPages(given),
  ...addedPages(given),
})

function mailedCodePages({ email, longEmail, acme, plain, northsea, sunny }: Given): Pages {
  return {
    'email-otp': {
      system: acme,
      html: mailedCodePage({ locale: 'en', system: acme, ...step, email, underWay: true }),
    },
    'email-otp-confirm': {
      system: northsea,
      html: mailedCodePage({
        locale: 'en',
        system: northsea,
        ...step,
        email,
        underWay: true,
        confirms: true,
      }),
    },
    'email-otp-wrong': {
      system: sunny,
      html: mailedCodePage({
        locale: 'es',
        system: sunny,
        ...step,
        email,
        underWay: true,
        errors: { code: textsOf('es').codeWrong },
      }),
    },
    'email-otp-again': {
      system: northsea,
      html: mailedCodePage({
        locale: 'fr',
        system: northsea,
        ...step,
        email: longEmail,
        underWay: true,
        notice: textsOf('fr').mailedCodeSent,
      }),
    },
    'email-otp-wait': {
      system: acme,
      html: mailedCodePage({ locale: 'de', system: acme, ...step, email, underWay: true, wait: 38 }),
    },
    'email-otp-none-yet': {
      system: plain,
      html: mailedCodePage({ locale: 'ja', system: plain, ...step, email, underWay: false, wait: 38 }),
    },
  }
}

function refusedCodePages({ email, HOSTILE, sunny, plain, hostile }: Given): Pages {
  return {
    'email-otp-early': {
      system: sunny,
      html: mailedCodePage({
        locale: 'en',
        system: sunny,
        ...step,
        email,
        underWay: true,
        wait: 38,
        errors: { form: 'You can request another code in 38 seconds.' },
      }),
    },
    'email-otp-none': {
      system: plain,
      html: mailedCodePage({
        locale: 'en',
        system: plain,
        ...step,
        email,
        underWay: false,
        errors: { form: 'You can request another code in 45 seconds.' },
      }),
    },
    'email-otp-hostile': {
      system: hostile,
      html: mailedCodePage({
        locale: 'en',
        system: hostile,
        ...step,
        email: HOSTILE,
        underWay: true,
        notice: HOSTILE,
        errors: { form: HOSTILE, code: HOSTILE },
      }),
    },
  }
}

function secondFactorPages({ HOSTILE, acme, night, northsea, sunny, hostile }: Given): Pages {
  const all = { totp: true, recoveryCodes: true, passkey: passkeyOptions }
  return {
    'second-factor': {
      system: acme,
      html: secondFactorPage({ locale: 'en', system: acme, ...step, ...all }),
    },
    'second-factor-app': {
      system: night,
      html: secondFactorPage({
        locale: 'pt',
        system: night,
        ...step,
        ...all,
        passkey: undefined,
        errors: { code: textsOf('pt').codeWrong },
      }),
    },
    'second-factor-passkey': {
      system: northsea,
      html: secondFactorPage({ locale: 'de', system: northsea, ...step, ...all, totp: false }),
    },
    'second-factor-recovery': {
      system: sunny,
      html: secondFactorPage({
        locale: 'en',
        system: sunny,
        ...step,
        ...all,
        errors: { recoveryCode: textsOf('en').recoveryWrong },
      }),
    },
    'second-factor-hostile': {
      system: hostile,
      html: secondFactorPage({
        locale: 'en',
        system: hostile,
        ...step,
        ...all,
        passkey: { challenge: HOSTILE },
        errors: { form: HOSTILE, code: HOSTILE, recoveryCode: HOSTILE },
      }),
    },
  }
}

async function enrolPages({ HOSTILE, acme, sunny, hostile, long }: Given): Promise<Pages> {
  const app = { secret, uri, qr: await qrCode(uri, textsOf('en').enrolQr) }
  const enrolment = { ...step, app }
  return {
    enrol: {
      system: acme,
      html: enrolPage({ locale: 'en', system: acme, ...enrolment, passkey: passkeyOptions }),
    },
    'enrol-wrong': {
      system: sunny,
      html: enrolPage({
        locale: 'de',
        system: sunny,
        ...enrolment,
        passkey: passkeyOptions,
        errors: { code: textsOf('de').codeWrong },
      }),
    },
    'enrol-app-long': {
      system: long,
      html: enrolPage({ locale: 'de', system: long, ...enrolment, passkey: undefined }),
    },
    'enrol-hostile': {
      system: hostile,
      html: enrolPage({
        locale: 'en',
        system: hostile,
        ...enrolment,
        app: { ...app, uri: HOSTILE, secret: HOSTILE },
        passkey: { challenge: HOSTILE },
        errors: { form: HOSTILE, code: HOSTILE },
      }),
    },
  }
}

function offerPages({ HOSTILE, acme, hostile, long }: Given): Pages {
  return {
    'passkey-offer': {
      system: acme,
      html: passkeyOfferPage({ locale: 'en', system: acme, ...step, passkey: passkeyOptions }),
    },
    'passkey-offer-fault': {
      system: long,
      html: passkeyOfferPage({
        locale: 'de',
        system: long,
        ...step,
        passkey: passkeyOptions,
        errors: { form: textsOf('de').offerFault },
      }),
    },
    'passkey-offer-hostile': {
      system: hostile,
      html: passkeyOfferPage({
        locale: 'en',
        system: hostile,
        ...step,
        passkey: { challenge: HOSTILE },
        errors: { form: HOSTILE },
      }),
    },
  }
}

function addedPages({ acme, long }: Given): Pages {
  const added = {
    action: '/interaction/sample/passkey-name',
    csrf: step.csrf,
    name: 'Firefox, Linux',
  }
  return {
    'recovery-codes': {
      system: acme,
      html: factorAddedPage({
        locale: 'en',
        system: acme,
        codes,
        next: { href: 'http://localhost/auth/sample' },
      }),
    },
    'recovery-codes-passkey': {
      system: acme,
      html: factorAddedPage({
        locale: 'en',
        system: acme,
        codes,
        next: { href: '/auth/sample' },
        passkey: added,
      }),
    },
    'passkey-added': {
      html: factorAddedPage({ locale: 'en', codes: [], next: { href: '/account/security' }, passkey: added }),
    },
    'recovery-codes-long': {
      system: long,
      html: factorAddedPage({ locale: 'de', system: long, codes, next: { href: '/auth/sample' } }),
    },
  }
}
