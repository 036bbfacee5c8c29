/** Sample pages of an invitation. */
import type { SystemLook } from '../../src/ui/layout.ts'
import { answeredPage, invitationGonePage, invitationPage } from '../../src/ui/pages/invitation.ts'

type Given = {
  email: string
  longEmail: string
  HOSTILE: string
  systems: { northsea: SystemLook; hostile: SystemLook; plain: SystemLook }
}

const page = {
  action: '/invitation',
  token: 'tZ0yKc1yq5m3u8nXh2Rr0v9bQwLfEjDs6aGpTiU4oVk',
  signIn: '/invitation/sign-in?token=tZ0yKc1yq5m3u8nXh2Rr0v9bQwLfEjDs6aGpTiU4oVk',
  account: 'Northsea Shipping',
  inviter: 'Ana Lima',
  roles: ['Accountant', 'Reader'],
  message: null,
  expiresAt: new Date('2026-03-09T09:30:00Z'),
  lengths: { min: 8, max: 128 },
}

type Pages = Record<string, { html: string; system?: SystemLook }>

export const invitationPages = (given: Given): Pages => ({
  ...openPages(given),
  ...otherAddressPages(given),
  ...endedPages(given),
})

const openPages = ({ email, systems: { northsea, plain } }: Given): Pages => ({
  invitation: {
    system: northsea,
    html: invitationPage({
      ...page,
      locale: 'en',
      system: northsea,
      step: 'register',
      email,
      message: 'We start on Monday. See you there!',
    }),
  },
  'invitation-fault': {
    html: invitationPage({
      ...page,
      locale: 'de',
      system: plain,
      step: 'register',
      email,
      errors: { password: 'Dieses Passwort ist zu kurz.' },
    }),
  },
  'invitation-join': {
    system: northsea,
    html: invitationPage({ ...page, locale: 'fr', system: northsea, step: 'join', email }),
  },
  'invitation-confirm': {
    html: invitationPage({
      ...page,
      locale: 'pt',
      system: plain,
      step: 'confirm',
      email,
      inviter: null,
      roles: [],
    }),
  },
})

const otherAddressPages = ({
  email,
  longEmail,
  HOSTILE,
  systems: { northsea, hostile, plain },
}: Given): Pages => ({
  'invitation-another': {
    html: invitationPage({
      ...page,
      locale: 'ja',
      system: hostile,
      step: 'another',
      email: longEmail,
      own: longEmail,
      account: HOSTILE,
      inviter: HOSTILE,
      message: HOSTILE,
      roles: [HOSTILE],
    }),
  },
  'invitation-join-as': {
    system: northsea,
    html: invitationPage({
      ...page,
      locale: 'en',
      system: northsea,
      step: 'another',
      email,
      own: 'rui.costa@northsea.example',
      joinAs: 'rui.costa@northsea.example',
    }),
  },
  'invitation-join-as-long': {
    html: invitationPage({
      ...page,
      locale: 'de',
      system: hostile,
      step: 'register',
      email: longEmail,
      own: longEmail,
      joinAs: longEmail,
      account: HOSTILE,
    }),
  },
  'invitation-joined-for-another': {
    html: answeredPage({
      locale: 'de',
      system: plain,
      kind: 'Joined',
      account: page.account,
      email: longEmail,
      signIn: page.signIn,
      own: email,
    }),
  },
})

const endedPages = ({ HOSTILE, systems: { northsea, hostile } }: Given): Pages => ({
  'invitation-gone': { html: invitationGonePage({ locale: 'en' }) },
  'invitation-expired': {
    system: northsea,
    html: invitationGonePage({
      locale: 'de',
      system: northsea,
      ask: { inviter: page.inviter, account: page.account },
    }),
  },
  'invitation-expired-hostile': {
    system: hostile,
    html: invitationGonePage({ locale: 'ja', system: hostile, ask: { inviter: null, account: HOSTILE } }),
  },
})
