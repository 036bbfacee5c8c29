/** Sample pages of the members of an organization. */
import { textsOf } from '../../src/texts/texts.ts'
import type { SystemLook } from '../../src/ui/layout.ts'
import { type MemberPage, memberPage } from '../../src/ui/pages/self-service/organizations/member.ts'
import { membersPage } from '../../src/ui/pages/self-service/organizations/members.ts'
import { severalPage } from '../../src/ui/pages/self-service/organizations/several.ts'
import { readerOf } from './sample-names.ts'

const csrf = 'c5rf"token'

type Organization = {
  id: string
  name: string
  isAccountAdmin: boolean
  membersVisible: boolean
  allowsServiceAccounts: boolean
  hasServiceAccounts: boolean
  setsUpSso: boolean
  hasSso: boolean
  system: string
  returnTo?: string
}
export type Members = {
  acme: SystemLook
  email: string
  longEmail: string
  HOSTILE: string
  organization: Organization
}

export const option = (name: string, more: object = {}) => ({
  id: name,
  name,
  isAdmin: false,
  isAssignable: true,
  isHeld: false,
  ...more,
})

const options = [option('Administrator', { isAdmin: true }), option('Editor', { isHeld: true })]

function samplePeople({ email, longEmail, HOSTILE }: Pick<Members, 'email' | 'longEmail' | 'HOSTILE'>) {
  const usual = { isSelf: false, isFixed: false, isBlockedAbove: false, options }
  const alice = {
    id: 'm1',
    name: 'Alice Martin',
    email,
    status: 'active' as const,
    ...usual,
    isSelf: true,
    roles: ['Administrator', 'Editor'],
  }
  const rui = {
    ...usual,
    id: 'm2',
    name: null,
    email: 'rui.costa@northsea.example',
    status: 'pending' as const,
    roles: [],
  }
  const mei = {
    ...alice,
    id: 'm3',
    name: 'Mei Tanaka',
    email: 'mei@northsea.example',
    isSelf: false,
    roles: ['Editor'],
  }
  const blocked = {
    ...mei,
    id: 'm4',
    name: null,
    email: 'old@northsea.example',
    status: 'blocked' as const,
    roles: [],
  }
  const strange = { ...alice, name: HOSTILE, email: longEmail, roles: [HOSTILE, HOSTILE] }
  return { alice, rui, mei, blocked, strange }
}

export function memberSamples({ acme, organization, ...given }: Members) {
  const { email, HOSTILE } = given
  const { alice, rui, mei, blocked, strange } = samplePeople(given)
  const filters = { page: 1, search: '', status: undefined }
  const reader = readerOf(acme, email, 'Alice Martin')
  const list = { ...reader, csrf, organization, filters, hasNext: false }
  const member: MemberPage = {
    ...reader,
    csrf,
    organization,
    member: { ...mei, restriction: null, isSelf: false },
    roles: [option('Administrator', { isAdmin: true }), option('Editor', { isHeld: true }), option('Reader')],
    profiles: [option('Night shift')],
  }
  const isMember = { ...organization, isAccountAdmin: false }
  const several = { ...reader, csrf, organization, gone: 0, roles: member.roles }
  return {
    'organization-members': { html: membersPage({ ...list, members: [alice, rui, mei, blocked] }) },
    'organization-members-alone': {
      html: membersPage({ ...list, locale: 'ja', organization: isMember, members: [alice, mei] }),
    },
    'organization-members-long': {
      html: membersPage({
        ...list,
        locale: 'de',
        organization: { ...organization, name: HOSTILE },
        filters: { page: 2, search: HOSTILE, status: 'pending' },
        hasNext: true,
        members: [strange],
      }),
    },
    'organization-members-none': {
      html: membersPage({
        ...list,
        locale: 'es',
        members: [],
        notice: textsOf('es', 'organization').removedDone,
      }),
    },
    'organization-members-open': {
      html: membersPage({ ...list, members: [mei] }).replace(
        '<details class="menu roles',
        '<details open class="menu roles',
      ),
    },
    'organization-several-block': {
      html: severalPage({
        ...several,
        action: 'block',
        members: [
          { ...mei, reason: undefined },
          { ...rui, reason: undefined },
        ],
      }),
    },
    'organization-several-roles': {
      html: severalPage({ ...several, action: 'roles', members: [{ ...mei, reason: undefined }] }),
    },
    'organization-several-refused': {
      html: severalPage({
        ...several,
        locale: 'de',
        action: 'remove',
        members: [{ ...strange, reason: textsOf('de', 'organization').soleAdmin }],
        gone: 1,
        errors: { form: textsOf('de', 'organization').severalFailed },
      }),
    },
    'organization-member': { html: memberPage(member) },
    'organization-member-pending': {
      html: memberPage({ ...member, locale: 'fr', member: { ...rui, restriction: null, isSelf: false } }),
    },
    'organization-member-long': {
      html: memberPage({
        ...member,
        locale: 'de',
        member: { ...strange, restriction: 'blockedAbove', status: 'blocked', isSelf: false },
        roles: [option(HOSTILE, { isAdmin: true, isHeld: true })],
        errors: { form: textsOf('de', 'organization').refused },
      }),
    },
  }
}
