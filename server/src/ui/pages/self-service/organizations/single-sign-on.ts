/** Connections and domains of an organization, the latter with their TXT records and the form to add one. */

import type { KeyOf } from '../../../../texts/message.ts'
import { type Catalog, textsOf } from '../../../../texts/texts.ts'
import { csrfField } from '../../../forms.ts'
import { bdi, type Content, fill, fillPlain, type Html, html } from '../../../html.ts'
import { icons } from '../../../icons.ts'
import { timeAt } from '../../../times.ts'
import { type AccountPage, framed, textField } from '../frame.ts'
import type { TabbedOrganization } from '../organization-parts.ts'
import { badge, emptyList, joined, panel, panelFoot, rowButton } from '../rows.ts'
import { connectionList, type ShownConnection } from './connections.ts'

export type ShownDomain = {
  id: string
  name: string
  subdomains: boolean
  status: 'pending' | 'verified' | 'lapsed'
  outcome: 'verified' | 'missing' | 'failing' | null
  found: { values: string[]; others: number } | null
  checking: boolean
  checkedAt: Date | null
  lapsesAt: Date | null
  record: { name: string; type: string; value: string }
  /** A higher authority has added it. */
  isAbove: boolean
}

type SingleSignOnPage = AccountPage & {
  organization: TabbedOrganization & {
    system: string
    /** The admins of the organization may add and change domains. */
    setsUpSso: boolean
  }
  connections: ShownConnection[]
  domains: ShownDomain[]
  /** The domain as entered before, if it was refused. */
  typed: { name: string; subdomains: boolean }
}

type Texts = Catalog['singleSignOn']

export function singleSignOnPage(page: SingleSignOnPage): string {
  const { locale, organization, domains, notice, errors } = page
  const texts = textsOf(locale, 'singleSignOn')
  const at = `/account/organizations/${organization.id}/sso`
  const { setsUpSso } = organization
  const none = domains.length === 0 && emptyList(icons.globe, texts.none)
  return framed({
    reader: page,
    at,
    organization,
    heading: texts.tab,
    lead: texts.lead,
    notice,
    errors,
    labels: { name: texts.name },
    body: html`${
      !setsUpSso &&
      html`<p class="note"
id="not-enabled">${fill(texts.notEnabled, { system: bdi(organization.system) })}</p>`
    }
${connectionList(page)}
${panel({ id: 'domains', title: texts.domains, hint: texts.domainsLead, body: none })}
${domains.map((each) => section(page, at, each))}
${setsUpSso && addForm(page, at)}`,
  })
}

const STATUS: Record<ShownDomain['status'], [KeyOf<Texts>, 'good' | 'wait' | 'bad']> = {
  pending: ['pending', 'wait'],
  verified: ['verified', 'good'],
  lapsed: ['lapsed', 'bad'],
}

function section(page: SingleSignOnPage, at: string, domain: ShownDomain): Html {
  const { locale, csrf } = page
  const texts = textsOf(locale, 'singleSignOn')
  const { id, name, status, subdomains, outcome, checking } = domain
  const [label, tone] = STATUS[status]
  const isFine = status === 'verified' && outcome === 'verified'
  const check = {
    name: 'check',
    value: id,
    text: texts.check,
    of: fillPlain(texts.checkOf, { domain: name }),
  }
  const ending = domain.isAbove ? above(page) : changes(page, at, domain)
  return panel({
    id: `of-${id}`,
    title: html`${bdi(name)}${badge(texts[label], tone)}${checking && badge(texts.checking)}`,
    hint: joined(subdomains && texts.withSubdomains, lastCheck(page, domain)),
    action: html`<form method="post" action="${at}/check">
${csrfField(csrf)}
${rowButton(check)}
</form>`,
    body: html`${warning(page, domain)}${!isFine && record(page, domain)}${ending}`,
  })
}

const OUTCOMES = {
  verified: 'checkedVerified',
  missing: 'checkedMissing',
  failing: 'checkedFailing',
} as const

function lastCheck(page: SingleSignOnPage, { checkedAt, outcome }: ShownDomain): Content {
  const texts = textsOf(page.locale, 'singleSignOn')
  if (checkedAt === null || outcome === null) return texts.unchecked
  return fill(texts[OUTCOMES[outcome]], { time: timeAt(page, checkedAt) })
}

/** What happens if nothing is done, and what was found instead of the record. */
function warning(page: SingleSignOnPage, { status, outcome, lapsesAt, found }: ShownDomain): Content {
  const texts = textsOf(page.locale, 'singleSignOn')
  const lapses = outcome === 'failing' ? texts.lapsesFailing : texts.lapsesMissing
  const values = found?.values ?? []
  const parts = [
    status === 'lapsed' && html`<p>${texts.lapsedLead}</p>\n`,
    lapsesAt && html`<p>${fill(lapses, { date: timeAt(page, lapsesAt, 'date') })}</p>\n`,
    values.length > 0 &&
      html`<div><p class="hint">${texts.found}</p>
<ul class="refused">${values.map((value) => html`<li><code>${bdi(value)}</code></li>`)}</ul></div>
`,
  ].filter((part) => part !== false && part !== null)
  return parts.length > 0 && html`<div class="body">${parts}</div>\n`
}

/** The value can be copied with a script (keep.js); without one a click selects it. */
function record({ locale }: SingleSignOnPage, { id, record: { name, type, value } }: ShownDomain): Html {
  const texts = textsOf(locale, 'singleSignOn')
  const code = (key: string, text: string) => html`<code id="${key}-${id}">${bdi(text)}</code>`
  return html`<div class="body"><p class="hint">${texts.recordLead}</p></div>
<dl class="details copied">
<div><dt>${texts.recordType}</dt><dd>${type}</dd></div>
<div><dt>${texts.recordName}</dt><dd>${code('name', name)}</dd></div>
<div><dt>${texts.recordValue}</dt><dd id="copied-${id}">${code('value', value)}</dd></div>
</dl>
<div class="body"><div class="keep scripted" data-keep="copied-${id}">
<button type="button" class="quiet" data-act="copy">${icons.copy}${texts.copyValue}</button
><p class="hint" role="status" data-done="${texts.copied}"></p></div></div>
`
}

const above = ({ locale }: SingleSignOnPage): Html =>
  panelFoot(html`<p class="hint">${textsOf(locale, 'singleSignOn').setAbove}</p>`)

function changes({ locale, csrf, organization }: SingleSignOnPage, at: string, domain: ShownDomain): Html {
  const texts = textsOf(locale, 'singleSignOn')
  const { id, name, subdomains } = domain
  const label = fillPlain(texts.removeOf, { domain: name })
  const toggle = subdomains ? texts.withoutSubdomains : texts.includeSubdomains
  return panelFoot(
    organization.setsUpSso &&
      html`<form method="post" action="${at}/subdomains">
${csrfField(csrf)}
<input type="hidden" name="subdomains" value="${subdomains ? 'no' : 'yes'}">
${rowButton({ name: 'domain', value: id, text: toggle, of: `${toggle}: ${name}` })}
</form>`,
    html`<details class="unfold"><summary class="button quiet danger"
aria-label="${label}">${texts.remove}</summary>
<form method="post" action="${at}/remove">
${csrfField(csrf)}
<p class="hint" id="hint-${id}">${texts.removeLead}</p>
<div class="actions"><button type="submit" class="danger filled" name="domain" value="${id}"
aria-describedby="hint-${id}">${label}</button></div>
</form></details>`,
  )
}

function addForm(page: SingleSignOnPage, at: string): Html {
  const { locale, csrf, typed, errors = {} } = page
  const texts = textsOf(locale, 'singleSignOn')
  const hint = html`${texts.nameHint}`
  const input = { id: 'name', label: texts.name, value: typed.name, hint, autocomplete: 'off', max: 300 }
  return panel({
    id: 'add',
    title: texts.add,
    body: html`<form method="post" action="${at}">
${csrfField(csrf)}
<div class="body">
${textField(input, errors)}
<div class="checks"><label class="check"
><input type="checkbox" id="subdomains" name="subdomains"
value="yes"${typed.subdomains && html` checked`}><span>${texts.includeSubdomains}</span></label></div>
</div>
${panelFoot(html`<button type="submit" id="submit" class="quiet">${texts.add}</button>`)}
</form>`,
  })
}
