/** What the forms of a connection have in common. */

import { textsOf } from '../../../../texts/texts.ts'
import { field } from '../../../forms.ts'
import { type Content, type Html, html } from '../../../html.ts'
import type { AccountPage } from '../frame.ts'
import type { TabbedOrganization } from '../organization-parts.ts'
import type { MemberOption } from './choices.ts'
import type { ConnectionField, Service, ShownConnection, TypedConnection } from './connections.ts'

export type ConnectionPage = AccountPage & {
  organization: TabbedOrganization & { system: string; setsUpSso: boolean }
  connection: ShownConnection & {
    redirectUri: string | null
    acsUrl: string | null
    entityId: string | null
    startUrl: string
  }
  /** Whose steps are open. */
  service: Service | undefined
  /** A verified domain of the organization. */
  domain: string | undefined
  /** What is stored, as the forms show it. */
  stored: TypedConnection
  /** The same, with what was entered before. */
  typed: TypedConnection
  roles: MemberOption[]
}

const LABELS = {
  name: 'name',
  issuer: 'issuer',
  clientId: 'clientId',
  clientSecret: 'clientSecret',
  secretExpiresAt: 'secretExpiresAt',
  subjectAttribute: 'subject',
  requiredClaims: 'requiredClaims',
  scopes: 'scopes',
  sessionHours: 'sessionHours',
  jit: 'jit',
  closedIssuer: 'closedIssuer',
  groupAttribute: 'groupAttribute',
  mfaAcr: 'mfaAcr',
  reauthentication: 'reauthentication',
  metadata: 'metadata',
  ssoUrl: 'ssoUrl',
  certificates: 'certificates',
} as const satisfies Record<ConnectionField, string>

/** What a field of both kinds is called in a connection with SAML. */
const OF_SAML = { subjectAttribute: 'samlSubject', groupAttribute: 'samlGroups', mfaAcr: 'samlAcr' } as const

export function labelsOf({ locale, connection }: ConnectionPage): Record<ConnectionField, string> {
  const texts = textsOf(locale, 'connections')
  const keys = { ...LABELS, ...(connection.kind === 'saml' && OF_SAML) }
  const labels: Partial<Record<ConnectionField, string>> = Object.fromEntries(
    Object.entries(keys).map(([id, key]) => [id, texts[key]]),
  )
  return labels as Record<ConnectionField, string>
}

/** The form sends what the page shows as well, so that only what the admin has changed changes. */
export function hiddenIn({ stored, service }: ConnectionPage, fields: readonly ConnectionField[]): Html {
  const before = Object.fromEntries(fields.map((each) => [each, stored[each]]))
  return html`<input type="hidden" name="before" value="${JSON.stringify(before)}">${
    service &&
    html`<input
type="hidden" name="service" value="${service}">`
  }`
}

type Area = { id: 'requiredClaims' | 'mfaAcr' | 'metadata' | 'certificates'; hint: Content; rows?: number }

export const area = (page: ConnectionPage, { id, hint, rows = 2 }: Area): Html =>
  field({
    id,
    label: labelsOf(page)[id],
    error: page.errors?.[id],
    hint: html`${hint}`,
    input: (more) =>
      html`<textarea id="${id}" name="${id}" rows="${rows}" spellcheck="false"
autocapitalize="none"${page.errors?.[id] && html` autofocus`}${more}>${page.typed[id]}</textarea>`,
  })
