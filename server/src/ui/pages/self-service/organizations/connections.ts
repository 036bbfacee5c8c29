/** The connections of an organization: their list and states, the form for a new one, and the log of one. */

import type { KeyOf } from '../../../../texts/message.ts'
import { type Catalog, textsOf } from '../../../../texts/texts.ts'
import { bdi, type Content, fill, type Html, html, protocolWord } from '../../../html.ts'
import { icons } from '../../../icons.ts'
import { byDay, timeAt } from '../../../times.ts'
import { type AccountPage, framed, type PageReader, textField } from '../frame.ts'
import type { TabbedOrganization } from '../organization-parts.ts'
import { badge, emptyList, joined, panel, panelForm, row, rowList } from '../rows.ts'

/** The fields of the forms of a connection, as texts. */
export type ConnectionField =
  | 'name'
  | 'issuer'
  | 'clientId'
  | 'clientSecret'
  | 'secretExpiresAt'
  | 'subjectAttribute'
  | 'requiredClaims'
  | 'scopes'
  | 'sessionHours'
  | 'jit'
  | 'closedIssuer'
  | 'groupAttribute'
  | 'mfaAcr'
  | 'reauthentication'
  | 'metadata'
  | 'ssoUrl'
  | 'certificates'
export type TypedConnection = Record<ConnectionField, string>

type ConnectionKind = 'oidc' | 'saml'

export type ShownConnection = {
  id: string
  name: string
  kind: ConnectionKind
  enabled: boolean
  issuer: string | null
  hasSecret: boolean
  secretExpiresAt: Date | null
  /** Of a SAML provider; times in ISO 8601. */
  certificates: { notAfter: string }[]
  missing: string[]
  testedAt: Date | null
  /** Since the last test that succeeded. */
  isChanged: boolean
  lastUsedAt: Date | null
  lastError: string | null
  /** A higher authority has set it up. */
  isAbove: boolean
}

/** The providers with steps of their own. */
export const SERVICES = ['okta', 'entra', 'google', 'keycloak', 'other'] as const
export type Service = (typeof SERVICES)[number]
export const isService = (value: unknown): value is Service => SERVICES.includes(value as Service)

const HOSTS: [RegExp, Service][] = [
  [/(^|\.)(okta|oktapreview|okta-emea)\.com$/, 'okta'],
  [/^(login\.microsoftonline\.(com|us)|login\.partner\.microsoftonline\.cn|sts\.windows\.net)$/, 'entra'],
  [/^accounts\.google\.com$/, 'google'],
]

/** The provider that an issuer shows; undefined without one. */
export function serviceOf(issuer: string | null): Service | undefined {
  if (issuer === null || !URL.canParse(issuer)) return undefined
  const { hostname, pathname } = new URL(issuer)
  const known = HOSTS.find(([pattern]) => pattern.test(hostname))?.[1]
  return known ?? (/\/realms\/[^/]+$/.test(pathname) ? 'keycloak' : 'other')
}

type Texts = Catalog['connections']

export const serviceName = (service: Service, texts: Texts): string =>
  ({
    okta: 'Okta',
    entra: 'Microsoft Entra ID',
    google: 'Google Workspace',
    keycloak: 'Keycloak',
    other: texts.otherService,
  })[service]

/** 30 days, in ms: so long before its end a secret or a certificate is marked. */
const ENDS_SOON = 30 * 86_400_000

/** How near an end is. */
function endOf(time: Date | null | undefined): 'ended' | 'soon' | undefined {
  const left = time ? time.getTime() - Date.now() : Number.POSITIVE_INFINITY
  return left <= 0 ? 'ended' : left <= ENDS_SOON ? 'soon' : undefined
}

/** A mark for a certificate that ends within 30 days, or has: its key still counts. */
export function certificateEnd({ locale }: PageReader, notAfter: string | undefined): Content {
  const { certificateEnded, certificateEndsSoon } = textsOf(locale, 'connections')
  const end = endOf(notAfter === undefined ? null : new Date(notAfter))
  return end && badge(end === 'ended' ? certificateEnded : certificateEndsSoon, 'wait')
}

/** The states that matter: what works as expected has one word. */
export function states(page: PageReader, connection: ShownConnection): Content {
  const texts = textsOf(page.locale, 'connections')
  const { enabled, missing, testedAt, isChanged, lastError, secretExpiresAt, certificates } = connection
  const secret = endOf(secretExpiresAt)
  const newest = certificates
    .map(({ notAfter }) => notAfter)
    .sort()
    .at(-1)
  return [
    enabled ? badge(texts.on, 'good') : badge(texts.off),
    missing.length > 0 && badge(texts.incomplete, 'wait'),
    missing.length === 0 && testedAt === null && badge(texts.untested, 'wait'),
    isChanged && badge(texts.changed, 'wait'),
    lastError !== null && badge(texts.failed, 'bad'),
    secret === 'ended' && badge(texts.expired, 'bad'),
    secret === 'soon' && badge(texts.expiresSoon, 'wait'),
    certificateEnd(page, newest),
  ]
}

export const ssoAddress = ({ id }: TabbedOrganization) => `/account/organizations/${id}/sso`

type ListPage = AccountPage & {
  organization: TabbedOrganization & { setsUpSso: boolean }
  connections: ShownConnection[]
}

/** The list on the page of single sign-on. */
export function connectionList(page: ListPage): Html {
  const { locale, organization, connections } = page
  const texts = textsOf(locale, 'connections')
  const at = `${ssoAddress(organization)}/connections`
  const item = (connection: ShownConnection): Html => {
    const { id, name, issuer, lastUsedAt, testedAt, isAbove } = connection
    return row(icons.key, html`<a href="${at}/${id}">${bdi(name)}</a>${states(page, connection)}`, [
      joined(
        issuer !== null && bdi((URL.canParse(issuer) && new URL(issuer).host) || issuer),
        lastUsedAt && fill(texts.usedOn, { time: timeAt(page, lastUsedAt) }),
        !lastUsedAt && testedAt && fill(texts.testedOn, { time: timeAt(page, testedAt) }),
        isAbove && texts.byApplication,
      ),
    ])
  }
  return panel({
    id: 'connections',
    title: texts.title,
    hint: texts.lead,
    action: organization.setsUpSso && html`<a class="button" id="new" href="${at}/new">${texts.add}</a>`,
    body: connections.length === 0 ? emptyList(icons.key, texts.none) : rowList(connections.map(item)),
  })
}

type NewPage = AccountPage & {
  organization: TabbedOrganization
  /** The name as entered before. */
  typed: string
  service: string | undefined
  kind: ConnectionKind
  /** The installation has it switched on. */
  hasSaml: boolean
}

export function newConnectionPage(page: NewPage): string {
  const { locale, csrf, organization, typed, service = 'okta', kind, hasSaml, errors = {} } = page
  const texts = textsOf(locale, 'connections')
  const at = ssoAddress(organization)
  const hint = html`${texts.nameHint}`
  const input = { id: 'name', label: texts.name, value: typed, hint, autocomplete: 'off', max: 100 }
  const choice = (each: Service) =>
    html`<label class="check"><input type="radio" name="service"
value="${each}"${each === service && html` checked`}><span>${
      each === 'other' ? texts.anotherProvider : serviceName(each, texts)
    }</span></label>
`
  const chosen = hasSaml ? kind : 'oidc'
  const protocol = (each: ConnectionKind, label: string, about: string, isOff = false) =>
    html`<label class="check"><input type="radio" name="kind" value="${each}"${
      each === chosen && html` checked`
    }${isOff && html` disabled`}><span>${label} <small>${about}</small></span></label>
`
  return framed({
    reader: page,
    at: `${at}/connections/new`,
    organization,
    crumb: { href: at, text: textsOf(locale, 'singleSignOn').tab },
    heading: texts.add,
    lead: texts.newLead,
    errors,
    labels: { name: texts.name },
    body: panel({
      body: panelForm({
        action: `${at}/connections/new`,
        csrf,
        body: html`<fieldset class="checks">
<legend>${texts.kind}</legend>
${protocol('oidc', 'OpenID Connect', texts.oidcHint)}
${protocol('saml', 'SAML', hasSaml ? texts.samlHint : texts.samlOff, !hasSaml)}</fieldset>
<fieldset class="checks">
<legend>${texts.service}</legend>
${SERVICES.map(choice)}</fieldset>
${textField(input, errors)}`,
        foot: [html`<button type="submit" id="submit">${texts.create}</button>`],
      }),
    }),
  })
}

export type ShownAttempt = {
  time: Date
  outcome: 'signed_in' | 'tested' | 'refused'
  code: string | null
  subject: string | null
  email: string | null
  requestId: string | null
}

type LogPage = PageReader & {
  organization: TabbedOrganization
  connection: { id: string; name: string }
  attempts: ShownAttempt[]
}

const OUTCOMES = { signed_in: 'signedIn', tested: 'testPassed', refused: 'refused' } as const

/** Why an attempt was refused, in words; undefined for a code without a sentence. */
export function reasonOf(page: PageReader, code: string): Content {
  const texts = textsOf(page.locale, 'connectionRefusals')
  return Object.hasOwn(texts, code) ? texts[code as KeyOf<typeof texts>] : undefined
}

export function logPage(page: LogPage): string {
  const { locale, organization, connection, attempts } = page
  const texts = textsOf(locale, 'connections')
  const at = `${ssoAddress(organization)}/connections/${connection.id}`
  const item = ({ time, outcome, code, subject, email, requestId }: ShownAttempt): Html => {
    const tone = outcome === 'refused' ? 'bad' : ''
    const who = email ?? subject
    const details = joined(
      email !== null && subject !== null && fill(texts.subjectIs, { subject: bdi(subject) }),
      code !== null && protocolWord(code),
      requestId !== null && fill(texts.requestIs, { id: protocolWord(requestId) }),
    )
    const reason = code !== null && reasonOf(page, code)
    return html`<li><span
class="names">${who !== null && bdi(who)}${badge(texts[OUTCOMES[outcome]], tone)}${
      reason &&
      html` <small
>${reason}</small>`
    } <small>${details}</small></span>${timeAt(page, time, 'clock')}</li>
`
  }
  return framed({
    reader: page,
    at: `${at}/log`,
    organization,
    crumb: { href: at, text: connection.name },
    heading: texts.log,
    lead: texts.logLead,
    body: panel({
      body: attempts.length > 0 ? byDay(page, attempts, item) : emptyList(icons.list, texts.logNone),
    }),
  })
}
