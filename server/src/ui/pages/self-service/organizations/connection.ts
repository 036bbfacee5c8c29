/** One connection of an organization: the steps until it is on, its settings, and what ends it. */

import { textsOf } from '../../../../texts/texts.ts'
import { csrfField, field, passwordField } from '../../../forms.ts'
import { bdi, type Content, fill, type Html, html, protocolWord } from '../../../html.ts'
import { nameAsHeading } from '../../../layout.ts'
import { timeAt } from '../../../times.ts'
import { framed, textField } from '../frame.ts'
import { foldedPanel, panel, panelFoot, panelForm } from '../rows.ts'
import { choices } from './choices.ts'
import { area, type ConnectionPage, hiddenIn, labelsOf } from './connection-fields.ts'
import { endsOf, samlForm } from './connection-saml.ts'
import { providerSteps, stepTitle } from './connection-steps.ts'
import { reasonOf, ssoAddress, states, type TypedConnection } from './connections.ts'

export function connectionPage(page: ConnectionPage): string {
  const { locale, organization, connection, service, notice, errors } = page
  const all = ssoAddress(organization)
  const at = `${all}/connections/${connection.id}`
  const isOpen = organization.setsUpSso && !connection.isAbove
  const form = connection.kind === 'saml' ? samlForm : providerForm
  return framed({
    reader: page,
    at,
    organization,
    crumb: { href: all, text: textsOf(locale, 'singleSignOn').tab },
    ...nameAsHeading(connection.name),
    lead: html`${states(page, connection)}`,
    notice,
    errors,
    labels: labelsOf(page),
    body: html`${closedNote(page)}
${isOpen && providerSteps(page, { ...connection, service, isDone: connection.missing.length === 0 })}
${isOpen ? form(page, at) : values(page)}
${isOpen && test(page, at)}
${isOpen && turnOn(page, at)}
${isOpen && settings(page, at)}
${links(page, at)}
${log(page, at)}
${!connection.isAbove && endings(page, at)}`,
  })
}

/** Why nothing can be changed here, or what still can. */
function closedNote({ locale, organization, connection }: ConnectionPage): Content {
  const texts = textsOf(locale, 'connections')
  if (connection.isAbove) return html`<p class="note" id="set-above">${texts.setAbove}</p>`
  if (organization.setsUpSso) return undefined
  return html`<p class="note"
id="not-enabled">${fill(texts.notEnabled, { system: bdi(organization.system) })}</p>`
}

/** The issuer that the chosen provider has for everyone, and what it requires. */
function proposed({ service, typed, domain, connection }: ConnectionPage): TypedConnection {
  if (service !== 'google' || connection.issuer !== null || typed.issuer !== '') return typed
  const requiredClaims = typed.requiredClaims || (domain === undefined ? '' : `hd=${domain}`)
  return { ...typed, issuer: 'https://accounts.google.com', requiredClaims }
}

function providerForm(given: ConnectionPage, at: string): Html {
  const page = { ...given, typed: proposed(given) }
  const { locale, csrf, typed, connection, errors = {} } = page
  const texts = textsOf(locale, 'connections')
  const isFixed = connection.testedAt !== null
  const text = (id: 'issuer' | 'clientId' | 'scopes', hint?: string, type?: 'url') =>
    textField(
      {
        ...{ id, label: labelsOf(page)[id], value: typed[id], autocomplete: 'off', max: 500 },
        ...(hint && { hint: html`${hint}` }),
        ...(type && { type }),
      },
      errors,
    )
  const fixed = html`<dl
class="details fixed"><div><dt>${texts.issuer}</dt><dd>${protocolWord(typed.issuer)}</dd></div>
<div><dt>${texts.subject}</dt><dd>${protocolWord(typed.subjectAttribute)}</dd></div></dl>
<p class="hint">${texts.issuerFixed}</p>`
  const body = html`${isFixed ? fixed : html`${text('issuer', texts.issuerHint, 'url')}`}
${text('clientId')}
${secret(page)}
${expiry(page)}
${area(page, { id: 'requiredClaims', hint: texts.requiredClaimsHint })}
${!isFixed && subject(page)}
${text('scopes', texts.scopesHint)}`
  const fields = [
    'issuer',
    'clientId',
    'secretExpiresAt',
    'requiredClaims',
    'subjectAttribute',
    'scopes',
  ] as const
  const isDone = connection.missing.length === 0
  return foldedPanel({
    id: 'provider',
    title: stepTitle(2, texts.provider, isDone),
    hint: texts.providerHint,
    isOpen: !isDone || [...fields, 'clientSecret'].some((each) => errors[each]),
    body: panelForm({
      action: `${at}/provider`,
      csrf,
      hidden: hiddenIn(page, fields),
      body,
      foot: [
        html`<button type="submit"
id="save-provider"${isDone && html` class="quiet"`}>${textsOf(locale, 'profile').save}</button>`,
      ],
    }),
  })
}

function expiry({ locale, typed, errors = {} }: ConnectionPage): Html {
  const texts = textsOf(locale, 'connections')
  const input = { label: texts.secretExpiresAt, value: typed.secretExpiresAt, autocomplete: 'off' }
  const hint = html`${texts.secretExpiresHint}`
  return textField({ ...input, id: 'secretExpiresAt', type: 'date', hint }, errors)
}

/** As a new password, so that no stored password of the admin is filled in. */
const secret = ({ locale, connection, errors = {} }: ConnectionPage): Html => {
  const texts = textsOf(locale, 'connections')
  return passwordField({
    locale,
    id: 'clientSecret',
    label: texts.clientSecret,
    kind: 'new',
    error: errors.clientSecret,
    hint: connection.hasSecret ? html`${texts.secretStored}` : undefined,
    focus: errors.clientSecret !== undefined,
    isRequired: false,
  })
}

function subject({ locale, typed }: ConnectionPage): Html {
  const texts = textsOf(locale, 'connections')
  const option = (value: string, label: string) =>
    html`<option value="${value}"${value === typed.subjectAttribute && html` selected`}>${label}</option>`
  return field({
    id: 'subjectAttribute',
    label: texts.subject,
    error: undefined,
    hint: html`${texts.subjectHint}`,
    input: (more) =>
      html`<select id="subjectAttribute"
name="subjectAttribute"${more}>${option('sub', 'sub')}${option('oid', 'oid (Microsoft Entra ID)')}</select>`,
  })
}

/** What is stored, where the admin cannot change it. */
function values(page: ConnectionPage): Html {
  const { locale, stored, connection } = page
  const texts = textsOf(locale, 'connections')
  const { no, yes } = textsOf(locale, 'connectionTest')
  const rows: [string, Content][] = [
    [texts.issuer, stored.issuer && protocolWord(stored.issuer)],
    [texts.clientId, stored.clientId && protocolWord(stored.clientId)],
    [
      texts.clientSecret,
      connection.redirectUri !== null && (connection.hasSecret ? texts.isStored : texts.isMissing),
    ],
    [texts.secretExpiresAt, connection.secretExpiresAt && timeAt(page, connection.secretExpiresAt, 'date')],
    [texts.redirectUri, connection.redirectUri && protocolWord(connection.redirectUri)],
    [texts.ssoUrl, stored.ssoUrl && protocolWord(stored.ssoUrl)],
    [texts.acsUrl, connection.acsUrl && protocolWord(connection.acsUrl)],
    [texts.entityId, connection.entityId && protocolWord(connection.entityId)],
    ...endsOf(page),
    [texts.requiredClaims, stored.requiredClaims && bdi(stored.requiredClaims.split('\n').join(', '))],
    [texts.sessionHours, stored.sessionHours],
    [texts.jit, stored.jit === 'yes' ? yes : no],
  ]
  const shown = rows.filter(([, value]) => value !== '' && value !== null && value !== false)
  return panel({
    body: html`<dl class="details values">
${shown.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>\n`)}</dl>`,
  })
}

/** A form with nothing but its button. */
const buttonForm = (csrf: string, action: string, button: Html, target?: '_blank'): Html =>
  html`<form method="post" action="${action}"${target && html` target="${target}"`}>
${csrfField(csrf)}
${button}
</form>`

function test(page: ConnectionPage, at: string): Html {
  const { locale, csrf, connection } = page
  const texts = textsOf(locale, 'connections')
  const { testedAt, isChanged, missing } = connection
  const isDone = testedAt !== null && !isChanged
  const label = testedAt === null ? texts.test : texts.testAgain
  const button = html`<button type="submit" id="test"${isDone && html` class="quiet"`}
aria-describedby="try-hint">${label}</button>`
  return panel({
    id: 'try',
    title: stepTitle(3, texts.tryIt, isDone),
    hint: missing.length > 0 ? texts.testFirst : texts.testHint,
    body: html`${
      (testedAt !== null || connection.lastError !== null) &&
      html`<div
class="body">${lastTest(page)}</div>`
    }
${
  missing.length === 0 &&
  panelFoot(
    html`<p
class="hint">${texts.testReload}</p>`,
    buttonForm(csrf, `${at}/test`, button, '_blank'),
  )
}`,
  })
}

const lastTest = (page: ConnectionPage): Content => {
  const { testedAt, isChanged } = page.connection
  const texts = textsOf(page.locale, 'connections')
  const time = testedAt && html`<p>${fill(texts.testedOn, { time: timeAt(page, testedAt) })}</p>`
  return [time, isChanged && html`<p>${texts.testedChanged}</p>`, lastError(page)]
}

const lastError = (page: ConnectionPage): Content => {
  const { lastError: code } = page.connection
  if (code === null) return undefined
  const texts = textsOf(page.locale, 'connections')
  return html`<div class="alert" id="last-error"><p>${fill(texts.lastError, { code: protocolWord(code) })}</p>
<p>${reasonOf(page, code)}</p></div>`
}

function turnOn({ locale, csrf, connection }: ConnectionPage, at: string): Html {
  const texts = textsOf(locale, 'connections')
  const { enabled, testedAt } = connection
  const button = html`<button type="submit" id="turn-on"
aria-describedby="turn-hint">${texts.turnOn}</button>`
  return panel({
    id: 'turn',
    title: stepTitle(4, texts.turnItOn, enabled),
    hint: enabled ? texts.isOn : testedAt === null ? texts.onFirst : texts.onHint,
    action: !enabled && testedAt !== null && buttonForm(csrf, `${at}/enable`, button),
  })
}

const flag = (page: ConnectionPage, id: 'jit' | 'closedIssuer' | 'reauthentication', hint?: string): Html =>
  html`<label class="check"><input type="checkbox" id="${id}" name="${id}"
value="yes"${page.typed[id] === 'yes' && html` checked`}${hint && html` aria-describedby="${id}-hint"`}><span
>${labelsOf(page)[id]}</span></label>${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
`

function settings(page: ConnectionPage, at: string): Html {
  const { locale, csrf, typed, roles, errors = {} } = page
  const texts = textsOf(locale, 'connections')
  const text = (id: 'name' | 'sessionHours' | 'groupAttribute', max: number, hint?: string) =>
    textField(
      {
        ...{ id, label: labelsOf(page)[id], value: typed[id], autocomplete: 'off', max },
        ...(hint && { hint: html`${hint}` }),
      },
      errors,
    )
  const rolesField = choices(locale, 'roles', roles, texts.defaultRoles)
  const isSaml = page.connection.kind === 'saml'
  const common = ['name', 'sessionHours', 'jit', 'closedIssuer', 'groupAttribute', 'mfaAcr'] as const
  const fields = isSaml ? common : [...common, 'reauthentication' as const]
  return panel({
    id: 'settings',
    title: texts.settings,
    body: panelForm({
      action: `${at}/settings`,
      csrf,
      hidden: hiddenIn(page, fields),
      body: html`<div
class="columns">${text('name', 100)}${text('sessionHours', 3, texts.sessionHoursHint)}</div>
<div class="checks">${flag(page, 'jit', texts.jitHint)}</div>
${rolesField}
<div class="checks">${flag(page, 'closedIssuer', texts.closedIssuerHint)}
${!isSaml && flag(page, 'reauthentication', texts.reauthenticationHint)}</div>
${text('groupAttribute', 255, texts.groupAttributeHint)}
${area(page, { id: 'mfaAcr', hint: isSaml ? texts.samlAcrHint : texts.mfaAcrHint })}`,
      foot: [
        html`<button type="submit" id="save-settings"
class="quiet">${textsOf(locale, 'profile').save}</button>`,
      ],
    }),
  })
}

function links({ locale }: ConnectionPage, at: string): Html {
  const texts = textsOf(locale, 'connections')
  return panel({
    id: 'links',
    title: texts.links,
    hint: texts.linksLead,
    action: html`<a class="button quiet" href="${at}/links" aria-describedby="links">${texts.linksOpen}</a>`,
  })
}

function log({ locale }: ConnectionPage, at: string): Html {
  const texts = textsOf(locale, 'connections')
  return panel({
    id: 'log',
    title: texts.log,
    hint: texts.logLead,
    action: html`<a class="button quiet" href="${at}/log" aria-describedby="log">${texts.logOpen}</a>`,
  })
}

/** Whoever has lost the right to set up single sign-on can still end sessions, turn off and delete. */
function endings({ locale, csrf, connection }: ConnectionPage, at: string): Html {
  const texts = textsOf(locale, 'connections')
  const end = (action: 'sessions' | 'disable' | 'delete', label: string, hint: string): Html =>
    panel({
      id: `do-${action}`,
      title: label,
      hint,
      action: html`<details class="unfold"><summary class="button quiet danger">${label}</summary>
${buttonForm(
  csrf,
  `${at}/${action}`,
  html`<button type="submit" id="${action}" class="danger filled"
aria-describedby="do-${action}-hint">${label}</button>`,
)}
</details>`,
    })
  return html`${connection.enabled && end('sessions', texts.endSessions, texts.endSessionsLead)}
${connection.enabled && end('disable', texts.turnOff, texts.turnOffLead)}
${end('delete', texts.remove, texts.removeLead)}`
}
