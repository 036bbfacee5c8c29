/** Sample pages of an organization. */
import { textsOf } from '../../src/texts/texts.ts'
import type { SystemLook } from '../../src/ui/layout.ts'
import { type Activity, activityPage } from '../../src/ui/pages/self-service/organizations/activity.ts'
import {
  type InvitationsPage,
  invitationsPage,
} from '../../src/ui/pages/self-service/organizations/invitations.ts'
import {
  barredOrganization,
  leavePage,
  organizationOverview,
} from '../../src/ui/pages/self-service/organizations/overview.ts'
import {
  newKeyPage,
  serviceAccountPage,
} from '../../src/ui/pages/self-service/organizations/service-account.ts'
import {
  newServiceAccountPage,
  serviceAccountsPage,
} from '../../src/ui/pages/self-service/organizations/service-accounts.ts'
import { settingsPage } from '../../src/ui/pages/self-service/organizations/settings.ts'
import { type Members, memberSamples, option } from './sample-member-pages.ts'
import { readerOf } from './sample-names.ts'
import { singleSignOnSamples } from './sample-single-sign-on-pages.ts'

type Given = { acme: SystemLook; long: SystemLook; email: string; longEmail: string; HOSTILE: string }

const csrf = 'c5rf"token'

export function organizationPages({ acme, long, email, longEmail, HOSTILE }: Given) {
  const northsea = {
    id: 'o1',
    name: 'Northsea Shipping',
    system: acme.name,
    roles: ['Administrator', 'Editor'],
    since: new Date('2026-03-04T09:12:00Z'),
    isAccountAdmin: true,
    membersVisible: true,
    allowsServiceAccounts: true,
    hasServiceAccounts: true,
    setsUpSso: true,
    hasSso: true,
    acceptOtherAddress: false,
    requireMfa: true,
    requireMfaAbove: false,
  }
  const admins = [
    { name: 'Alice Martin', email },
    { name: null, email: 'rui.costa@northsea.example' },
  ]
  const page = { ...readerOf(acme, email, 'Alice Martin'), csrf }
  return {
    organization: {
      html: organizationOverview({ ...page, organization: northsea, admins, hasMoreAdmins: false }),
    },
    'organization-return': {
      html: organizationOverview({
        ...page,
        organization: { ...northsea, returnTo: 'https://app.example/team' },
        admins,
        hasMoreAdmins: false,
      }),
    },
    'organization-settings': {
      html: settingsPage({ ...page, organization: northsea, withoutFactor: 3 }),
    },
    'organization-settings-long': {
      html: settingsPage({
        ...page,
        locale: 'de',
        organization: { ...northsea, name: HOSTILE, requireMfaAbove: true },
        withoutFactor: 12_000,
        typed: HOSTILE,
        errors: { name: textsOf('de', 'organization').nameWrong },
      }),
    },
    'organization-leaving': { html: leavePage({ ...page, organization: northsea }) },
    'organization-suspended': {
      html: barredOrganization({
        ...page,
        locale: 'de',
        organization: { ...northsea, isSuspended: true },
        support: 'https://northsea.example/help',
      }),
    },
    'organization-closed': {
      html: barredOrganization({
        ...page,
        locale: 'en',
        organization: { ...northsea, isSuspended: false },
        support: undefined,
      }),
    },
    'organization-last-admin': {
      html: organizationOverview({
        ...page,
        locale: 'de',
        organization: northsea,
        admins: admins.slice(0, 1),
        hasMoreAdmins: false,
        errors: { form: textsOf('de', 'organization').lastAdmin },
      }),
    },
    'organization-long': {
      html: organizationOverview({
        ...page,
        locale: 'fr',
        organization: { ...northsea, name: HOSTILE, system: long.name, roles: [HOSTILE, long.name] },
        admins: [{ name: HOSTILE, email: longEmail }],
        hasMoreAdmins: true,
      }),
    },
    ...memberSamples({ acme, organization: northsea, email, longEmail, HOSTILE }),
    ...invitationSamples({ acme, organization: northsea, email, longEmail, HOSTILE }),
    ...serviceAccountSamples({ acme, organization: northsea, email, longEmail, HOSTILE }),
    ...singleSignOnSamples({ acme, organization: northsea, email, longEmail, HOSTILE }),
    ...activitySamples({ acme, organization: northsea, email, longEmail, HOSTILE }),
  }
}

function serviceAccountSamples({ acme, organization, email, HOSTILE }: Members) {
  const key = {
    id: 'k1',
    hint: 'x7Qa',
    expiresAt: new Date('2036-06-01T09:12:00Z'),
    lastUsedAt: new Date('2026-03-04T02:00:00Z'),
  }
  const keys = [key, { ...key, id: 'k2', hint: 'p-3_', expiresAt: null, lastUsedAt: null }]
  const expired = { ...key, id: 'k3', hint: 'Zk3v', expiresAt: new Date('2026-02-01T09:12:00Z') }
  const nightly = {
    id: 's1',
    name: 'Nightly export',
    clientId: 'sa_Zk3vT9qLw1XyB2cd',
    disabled: false,
    roles: ['Editor', 'Reader'],
    keys,
  }
  const old = { ...nightly, id: 's2', name: 'Old ERP', disabled: true, roles: [], keys: [expired] }
  const fresh = { ...nightly, id: 's3', name: 'CI', clientId: 'sa_9bQwT9qLw1XyB2cd', keys: [] }
  const page = { ...readerOf(acme, email), csrf, organization }
  const roles = [option('Administrator', { isAdmin: true }), option('Editor', { isHeld: true })]
  const one = { ...page, serviceAccount: nightly, isReserved: false, roles, once: 'once' }
  const hostile = { ...nightly, name: HOSTILE, roles: [HOSTILE] }
  const off = { ...organization, allowsServiceAccounts: false }
  const secret = 'tk_V1StGXR8Z5jdHi6BmyTq0nLw3Kc9Pf2Ra7Eu4Yo_x7Qa'
  const tokenAddress = 'https://id.example.com/token'
  return {
    'organization-service-accounts': {
      html: serviceAccountsPage({ ...page, serviceAccounts: [nightly, old, fresh] }),
    },
    'organization-service-accounts-none': {
      html: serviceAccountsPage({ ...page, locale: 'fr', serviceAccounts: [] }),
    },
    'organization-service-accounts-long': {
      html: serviceAccountsPage({
        ...page,
        locale: 'de',
        organization: { ...organization, name: HOSTILE, system: HOSTILE },
        serviceAccounts: [hostile],
        notice: textsOf('de', 'serviceAccounts').revokedDone,
      }),
    },
    'organization-service-account-new': {
      html: newServiceAccountPage({ ...page, typed: '', roles: roles.map((r) => ({ ...r, isHeld: false })) }),
    },
    'organization-service-account': { html: serviceAccountPage(one) },
    'organization-service-account-long': {
      html: serviceAccountPage({
        ...one,
        locale: 'ja',
        serviceAccount: { ...hostile, disabled: true },
        typed: '',
        errors: { name: textsOf('ja', 'organization').nameWrong },
      }),
    },
    'organization-service-account-closed': {
      html: serviceAccountPage({ ...one, locale: 'es', isReserved: true }),
    },
    'organization-service-accounts-off': {
      html: serviceAccountsPage({
        ...page,
        locale: 'pt',
        organization: off,
        serviceAccounts: [nightly, fresh],
      }),
    },
    'organization-service-account-off': { html: serviceAccountPage({ ...one, organization: off }) },
    'organization-service-account-key': {
      html: newKeyPage({ ...page, serviceAccount: nightly, secret, tokenAddress, next: '#' }),
    },
    'organization-service-account-key-long': {
      html: newKeyPage({ ...page, locale: 'pt', serviceAccount: hostile, secret, tokenAddress, next: '#' }),
    },
  }
}

function activitySamples({ acme, organization, email, HOSTILE }: Members) {
  const entry = (action: string, more: Partial<Activity> = {}): Activity => ({
    time: new Date('2026-03-04T09:12:00Z'),
    action,
    isRefused: false,
    actorType: 'user',
    actor: email,
    target: 'rui.costa@northsea.example',
    targetType: null,
    reason: undefined,
    ...more,
  })
  const before = new Date('2026-03-03T22:00:00Z')
  const entries = [
    entry('membership.roles_changed'),
    entry('service_account.key_created', { target: 'Nightly export' }),
    entry('user.login', { isRefused: true, actorType: 'anonymous', actor: undefined }),
    entry('invitation.expired', { actorType: 'server', actor: undefined }),
    entry('membership.created', { actor: undefined, time: before }),
    entry('session.acting_started', {
      actor: 'Bea Sousa',
      reason: 'Ticket 4711: the invoice is empty',
      time: before,
    }),
    entry('account.updated', { target: organization.name, isRefused: true }),
  ]
  const page = { ...readerOf(acme, email), organization, filters: { page: 1 }, hasNext: false }
  const hostile = [entry('membership.blocked', { actor: HOSTILE, target: HOSTILE }), entry(HOSTILE)]
  return {
    'organization-activity': { html: activityPage({ ...page, entries }) },
    'organization-activity-long': {
      html: activityPage({ ...page, locale: 'de', entries: hostile, filters: { page: 2 }, hasNext: true }),
    },
  }
}

function invitationSamples({ acme, organization, email, longEmail, HOSTILE }: Members) {
  const invitation = {
    id: 'i1',
    email: 'mei.tanaka@northsea.example',
    status: 'pending' as const,
    expiresAt: new Date('2026-03-11T09:12:00Z'),
    roles: ['Editor'],
  }
  const page: InvitationsPage = {
    ...readerOf(acme, email),
    csrf,
    organization,
    invitations: [
      invitation,
      { ...invitation, id: 'i2', email: 'rui.costa@northsea.example', status: 'accepted', roles: [] },
      { ...invitation, id: 'i3', email: 'old@northsea.example', status: 'expired' },
    ],
    filters: { page: 1 },
    hasNext: false,
    max: 100,
    emails: '',
    message: '',
    roles: [option('Administrator', { isAdmin: true }), option('Editor')],
    profiles: [],
    refused: [],
  }
  const texts = textsOf('de', 'organization')
  return {
    'organization-invitations': { html: invitationsPage(page) },
    'organization-invitations-none': {
      html: invitationsPage({
        ...page,
        locale: 'ja',
        invitations: [],
        roles: [],
        errors: { emails: textsOf('ja', 'organization').emailsMissing },
      }),
    },
    'organization-invitations-long': {
      html: invitationsPage({
        ...page,
        locale: 'de',
        organization: { ...organization, name: HOSTILE },
        invitations: [{ ...invitation, email: longEmail, roles: [HOSTILE] }],
        emails: longEmail,
        message: HOSTILE,
        roles: [option(HOSTILE, { isHeld: true })],
        refused: [
          { email: longEmail, reason: texts.reasonBusy },
          { email: HOSTILE, reason: texts.reasonInvalid },
        ],
        errors: { form: texts.notInvited },
      }),
    },
  }
}
