import { templateOf } from '../../texts/message.ts'
import { type Locale, type Texts, textsOf } from '../../texts/texts.ts'
import { avatarOf, type OrganizationLook } from '../avatar.ts'
import { csrfField, errorSummary, exits } from '../forms.ts'
import { bdi, type Content, fill, type Html, html } from '../html.ts'
import { icons } from '../icons.ts'
import { headed, layout, type SystemLook } from '../layout.ts'

export type AccountChoice = {
  id: string
  name: string
  /** `new`: the user creates it. */
  kind?: 'personal' | 'organization' | 'invitation' | 'new' | undefined
  lastUsed?: boolean
} & OrganizationLook

export type AccountChoicePage = {
  locale: Locale
  system: SystemLook
  action: string
  /** Cancels the sign-in. */
  abort: string
  /** The address that leads to the login of another user. */
  another?: string | undefined
  csrf: string
  accounts: readonly AccountChoice[]
  /** Address of the signed-in user. */
  email: string
  /** A blocked or suspended account, in whose place the user continues in another one. */
  lost?: { name: string; status: 'blocked' | 'suspended' } | undefined
  /** The name of the account that was selected, whose membership has to be approved. */
  pending?: string | undefined
  error?: string | undefined
  /** Where the user has more accounts than are shown: a form that finds them, and what it was sent with. */
  search?: { action: string; text: string; hasMore: boolean } | undefined
}

/** Shorter lists are seen at a glance. */
const FILTER_MIN = 8

export function accountPage(page: AccountChoicePage): string {
  const { locale, system, action, csrf, accounts, error, search } = page
  const texts = textsOf(locale)
  const other = page.lost !== undefined && accounts.length === 1 ? accounts[0] : undefined
  return layout({
    locale,
    system,
    ...(other
      ? headed(texts.organizationOther, { account: other.name })
      : headed(texts.organizationTitle, {})),
    lead: leadOf(page),
    faulty: Boolean(error),
    body: html`${errorSummary(locale, error)}
${search && searchForm(texts, search, accounts.length)}
${
  accounts.length > 0 &&
  html`<form method="post" action="${action}">
${csrfField(csrf)}
${!search && accounts.length >= FILTER_MIN && filterField(texts)}
<ul class="choices" id="choices" aria-labelledby="heading">
${accounts.map((account) => choice(account, locale))}</ul>
</form>`
}
${exits(locale, page)}`,
  })
}

function leadOf({ locale, system, email, accounts, lost, pending }: AccountChoicePage): Content {
  const texts = textsOf(locale)
  if (lost?.status === 'blocked') return fill(texts.organizationBlocked, { account: bdi(lost.name) })
  if (lost) return fill(texts.organizationSuspended, { account: bdi(lost.name), system: bdi(system.name) })
  if (pending !== undefined) return fill(texts.organizationPending, { account: bdi(pending) })
  const isInvited =
    accounts.length > 0 && accounts.every(({ kind }) => kind === 'invitation' || kind === 'new')
  const named = { system: bdi(system.name), email: bdi(email) }
  return html`${isInvited && html`${texts.organizationInvited} `}${fill(texts.organizationLead, named)}`
}

/** The server searches: the page does not have all accounts. */
const searchForm = (
  texts: Texts,
  { action, text, hasMore }: NonNullable<AccountChoicePage['search']>,
  count: number,
): Content =>
  html`<form method="get" action="${action}" class="search" role="search">
<div class="field">
<label for="search">${texts.organizationSearch}</label>
<input id="search" name="search" type="search" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="100" value="${text}">
</div>
<button type="submit" id="find" class="quiet">${texts.organizationFind}</button>
</form>
<p class="hint" role="status">${count === 0 ? texts.organizationNotFound : hasMore && texts.organizationMore}</p>`

/** filter.js shows it, hides the choices that do not match and fills the number of those that do. */
const filterField = ({ organizationFilter, organizationFound, organizationNotFound }: Texts): Content =>
  html`<div class="field filter" data-filter="choices" data-found="${templateOf(organizationFound)}" data-none="${organizationNotFound}" hidden>
<label for="filter">${organizationFilter}</label>
<input id="filter" type="search" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="100">
<p class="hint" role="status"></p>
</div>`

function choice(account: AccountChoice, locale: Locale): Html {
  const { id, name, kind, lastUsed } = account
  const texts = textsOf(locale)
  const detail =
    kind === 'invitation'
      ? html`<span class="badge wait">${texts.invitation}</span>`
      : lastUsed
        ? texts.lastUsed
        : kind === 'personal' && texts.personal
  return html`<li class="choice"><button type="submit" name="accountId" value="${id}">
${avatarOf(kind === 'new' ? { id, name: '+' } : account)}
<span class="names">${bdi(name)}${detail && html` <small>${detail}</small>`}</span>
${icons.next}
</button></li>
`
}
