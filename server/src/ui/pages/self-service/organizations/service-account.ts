/** One service account of an organization, and the page that shows a new key once. */

import { textsOf } from '../../../../texts/texts.ts'
import { csrfField } from '../../../forms.ts'
import { bdi, type Content, type Html, html } from '../../../html.ts'
import { icons } from '../../../icons.ts'
import { nameAsHeading } from '../../../layout.ts'
import { type AccountPage, framed, type PageReader } from '../frame.ts'
import type { TabbedOrganization } from '../organization-parts.ts'
import { badge, panel, panelFoot, panelForm } from '../rows.ts'
import type { MemberOption } from './choices.ts'
import {
  addressOf,
  keyList,
  nameAndRoles,
  notAllowed,
  type ProgramsOrganization,
  type ShownKey,
} from './service-accounts.ts'

type ServiceAccountPage = AccountPage & {
  organization: ProgramsOrganization
  serviceAccount: { id: string; name: string; clientId: string; disabled: boolean; keys: ShownKey[] }
  /** It has a role that admins of the account cannot assign: they only revoke its keys. */
  isReserved: boolean
  roles: MemberOption[]
  /** A number that the form of a new key uses once. */
  once: string
  /** The name as entered, if it was refused. */
  typed?: string | undefined
}

export function serviceAccountPage(page: ServiceAccountPage): string {
  const { locale, organization, serviceAccount, isReserved, notice, errors } = page
  const { allowsServiceAccounts } = organization
  const texts = textsOf(locale, 'serviceAccounts')
  const { id, name, clientId, disabled, keys } = serviceAccount
  const all = addressOf(organization)
  const at = `${all}/${id}`
  return framed({
    reader: page,
    at,
    organization,
    crumb: { href: all, text: texts.all },
    ...nameAsHeading(name),
    lead: html`${texts.clientId} <code>${clientId}</code>${disabled && badge(texts.disabled)}`,
    notice,
    errors,
    labels: { name: texts.name },
    body: html`${isReserved ? html`<p class="note">${texts.reserved}</p>` : notAllowed(locale, organization)}
${panel({
  id: 'keys',
  title: texts.keys,
  body: html`${keyList(page, at, keys)}
${!isReserved && allowsServiceAccounts && keyForm(page, at)}`,
})}
${!isReserved && changes(page, at)}`,
  })
}

function keyForm({ locale, csrf, once }: ServiceAccountPage, at: string): Html {
  const texts = textsOf(locale, 'serviceAccounts')
  const lifetimes: [number, string][] = [
    [2_592_000, texts.days30],
    [7_776_000, texts.days90],
    [31_536_000, texts.days365],
    [0, texts.forever],
  ]
  const option = ([seconds, label]: [number, string]) =>
    html`<option value="${seconds}"${seconds === 7_776_000 && html` selected`}>${label}</option>\n`
  return html`<form method="post" action="${at}">
${csrfField(csrf)}
<input type="hidden" name="once" value="${once}">
<div class="body">
<div class="field">
<label for="expiresIn">${texts.expiresIn}</label>
<select id="expiresIn" name="expiresIn" aria-describedby="key-hint">
${lifetimes.map(option)}</select>
<p class="hint" id="key-hint">${texts.newKeyLead}</p>
</div>
</div>
${panelFoot(html`<button type="submit" id="create-key">${texts.newKey}</button>`)}
</form>`
}

function changes(page: ServiceAccountPage, at: string) {
  const { locale, csrf, serviceAccount, organization } = page
  const texts = textsOf(locale, 'serviceAccounts')
  const { disabled } = serviceAccount
  const isAllowed = organization.allowsServiceAccounts
  const act = (action: 'disable' | 'enable' | 'delete', hint?: Content): Html => {
    const look = action === 'enable' ? 'quiet' : 'danger filled'
    const form = html`<form method="post" action="${at}/${action}">
${csrfField(csrf)}
<button type="submit" id="${action}" class="${look}"${hint && html` aria-describedby="do-${action}-hint"`}>${texts[action]}</button>
</form>`
    return panel({
      id: `do-${action}`,
      title: texts[action],
      hint,
      action:
        action === 'enable'
          ? form
          : html`<details class="unfold"><summary class="button quiet danger">${texts[action]}</summary>
${form}
</details>`,
    })
  }
  return html`${isAllowed && nameForm(page, at)}
${disabled ? isAllowed && act('enable', texts.enableLead) : act('disable', texts.disableLead)}
${act('delete', texts.deleteLead)}`
}

function nameForm(
  { locale, csrf, serviceAccount, roles, typed, errors }: ServiceAccountPage,
  at: string,
): Html {
  const texts = textsOf(locale, 'serviceAccounts')
  const { name } = serviceAccount
  return panel({
    id: 'edit',
    title: texts.edit,
    body: panelForm({
      action: `${at}/edit`,
      csrf,
      hidden: html`<input type="hidden" name="nameBefore" value="${name}">`,
      body: html`${nameAndRoles(locale, typed ?? name, roles, errors)}`,
      foot: [
        html`<button type="submit" id="submit" class="quiet">${textsOf(locale, 'profile').save}</button>`,
      ],
    }),
  })
}

type NewKeyPage = PageReader & {
  organization: TabbedOrganization
  serviceAccount: { id: string; name: string; clientId: string }
  secret: string
  tokenAddress: string
  /** Where the user continues. */
  next: string
}

export function newKeyPage(page: NewKeyPage): string {
  const { locale, organization, secret, tokenAddress, next } = page
  const { id, name, clientId } = page.serviceAccount
  const texts = textsOf(locale, 'serviceAccounts')
  const rows: [string, string, string][] = [
    ['secret', texts.key, secret],
    ['client', texts.clientId, clientId],
    ['address', texts.tokenAddress, tokenAddress],
  ]
  return framed({
    reader: page,
    at: `${addressOf(organization)}/${id}`,
    organization,
    heading: texts.keyTitle,
    names: { name },
    notice: texts.keyOnce,
    body: panel({
      body: html`<dl class="details copied">
${rows.map(([key, label, value]) => html`<div id="of-${key}"><dt>${label}</dt><dd><code id="${key}">${bdi(value)}</code></dd></div>\n`)}</dl>
<div class="body keep scripted" data-keep="of-secret"><button type="button" class="quiet" data-act="copy">${icons.copy}${texts.copyKey}</button><p class="hint" role="status" data-done="${texts.copiedKey}"></p></div>
${panelFoot(html`<p class="hint">${texts.keyUse}</p>`, html`<a class="button" id="next" href="${next}">${texts.keyCopied}</a>`)}`,
    }),
  })
}
