/** Pages that only show a message. */

import { type Locale, textsOf } from '../../texts/texts.ts'
import { exits, type NextStep, nextStep, signedInAs, wayOn } from '../forms.ts'
import { bdi, fill, html } from '../html.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook, systemName } from '../layout.ts'

export type MessageKind =
  | 'signedOut'
  | 'stayed'
  | 'passwordChanged'
  | 'verified'
  | 'registered'
  | 'userKnown'
  | 'emailChanged'
  | 'emailWaiting'
  | 'deviceDone'
  | 'deviceStopped'
  | 'pending'
  | 'blocked'
  | 'suspended'
  | 'noAccess'
  | 'declined'
  | 'resetAgain'
  | 'profileDeleted'

export type MessagePage = {
  locale: Locale
  kind: MessageKind
  system?: SystemLook | undefined
  /** Address of the signed-in user. */
  email?: string | undefined
  next?: NextStep | undefined
  /** The address that leads to the login of another user. */
  another?: { csrf: string; another: string | undefined } | undefined
  /** The organization that the message is about. */
  account?: string | undefined
}

const TONES = { tick: 'good', clock: 'wait', barred: 'plain', envelope: 'plain', person: 'plain' } as const

const ICONS: Record<MessageKind, keyof typeof TONES> = {
  signedOut: 'tick',
  stayed: 'tick',
  passwordChanged: 'tick',
  verified: 'tick',
  registered: 'tick',
  userKnown: 'person',
  emailChanged: 'tick',
  emailWaiting: 'clock',
  deviceDone: 'tick',
  deviceStopped: 'barred',
  pending: 'clock',
  blocked: 'barred',
  suspended: 'barred',
  noAccess: 'barred',
  declined: 'barred',
  resetAgain: 'envelope',
  profileDeleted: 'tick',
}

export function messagePage({
  locale,
  kind,
  system,
  email,
  next,
  another,
  account = '',
}: MessagePage): string {
  const texts = textsOf(locale)
  const names = { system: systemName(system, locale) }
  return layout({
    locale,
    system,
    icon: icons[ICONS[kind]],
    end: TONES[ICONS[kind]],
    heading: texts[`${kind}Title`],
    lead:
      kind === 'suspended'
        ? fill(texts.suspendedLead, { ...names, account: bdi(account) })
        : fill(texts[`${kind}Lead`], names),
    body: html`${next ? nextStep(locale, system, next) : wayOn(locale, system)}
${email && signedInAs(locale, email)}
${another && exits(locale, another)}`,
  })
}
