import { initialOf } from '../brand.ts'
import { csrfField, errorSummary, exits, signedInAs } from '../forms.ts'
import { bdi, type Content, fill, type Html, html } from '../html.ts'
import { type Locale, textsOf } from '../i18n/texts.ts'
import { layout, type SystemLook } from '../layout.ts'

export type AccountChoice = {
  id: string
  name: string
  kind?: 'personal' | 'organization' | undefined
  lastUsed?: boolean
}

export type AccountPage = {
  locale: Locale
  system: SystemLook
  action: string
  /** Cancels the sign-in. */
  abort: string
  /** To the login of another user. */
  another?: string | undefined
  csrf: string
  accounts: readonly AccountChoice[]
  /** Address of the signed-in user. */
  email: string
  /** The account selected initially; by default the first. */
  accountId?: string | undefined
  /** The name of a blocked account, in whose place the user continues in another one. */
  blocked?: string | undefined
  error?: string | undefined
}

/** Shorter lists are seen at a glance. */
const FILTER_MIN = 8

export function accountPage(page: AccountPage): string {
  const { locale, system, action, csrf, accounts, email, accountId, blocked, error } = page
  const texts = textsOf(locale)
  const chosen = accounts.find(({ id }) => id === accountId) ?? accounts[0]
  const other = blocked !== undefined && accounts.length === 1 ? chosen : undefined
  return layout({
    locale,
    system,
    heading: other ? texts.accountOther : texts.accountTitle,
    names: other ? { account: other.name } : { system: system.name },
    lead: blocked !== undefined && fill(texts.accountBlocked, { account: bdi(blocked) }),
    faulty: Boolean(error),
    body: html`${errorSummary(locale, error)}
<form method="post" action="${action}">
${csrfField(csrf)}
${accounts.length >= FILTER_MIN && filterField(texts.accountFilter, texts.accountFound, texts.accountNotFound)}
<fieldset class="choices" id="choices" aria-labelledby="heading">
${accounts.map((account) => choice(account, account === chosen, locale))}
</fieldset>
<div class="actions within-reach">
<button type="submit" id="submit">${texts.continue}</button>
</div>
</form>
${signedInAs(locale, email)}
${exits(locale, page)}`,
  })
}

/** filter.js shows it and hides the choices that do not match. */
const filterField = (label: string, found: string, notFound: string): Content =>
  html`<div class="field filter" data-filter="choices" data-found="${found}" data-none="${notFound}" hidden>
<label for="filter">${label}</label>
<input id="filter" type="search" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="100">
<p class="hint" role="status"></p>
</div>`

function choice({ id, name, kind, lastUsed }: AccountChoice, checked: boolean, locale: Locale): Html {
  const texts = textsOf(locale)
  const kindText = kind && (kind === 'personal' ? texts.accountPersonal : texts.accountOrganization)
  const details = [kindText, lastUsed && texts.accountLastUsed].filter((detail) => detail)
  return html`<label class="choice">
<span class="avatar" aria-hidden="true">${initialOf(name)}</span>
<span class="names">${bdi(name)}${details.length > 0 && html` <small>${details.join(' · ')}</small>`}</span>
<input type="radio" name="accountId" value="${id}" required${checked && html` checked`}>
</label>
`
}
