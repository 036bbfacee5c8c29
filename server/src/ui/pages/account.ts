import { initialOf } from '../brand.ts'
import { csrfField, errorSummary } from '../forms.ts'
import { bdi, fill, type Html, html } from '../html.ts'
import { type Locale, textsOf } from '../i18n/texts.ts'
import { layout, type SystemLook } from '../layout.ts'

export type AccountChoice = { id: string; name: string; kind?: 'personal' | 'organization' | undefined }

export type AccountPage = {
  locale: Locale
  system: SystemLook
  action: string
  csrf: string
  accounts: readonly AccountChoice[]
  /** Address of the signed-in user. */
  email: string
  /** The account selected initially; by default the first. */
  accountId?: string | undefined
  error?: string | undefined
}

export function accountPage({
  locale,
  system,
  action,
  csrf,
  accounts,
  email,
  accountId,
  error,
}: AccountPage): string {
  const texts = textsOf(locale)
  const chosen = accounts.find(({ id }) => id === accountId) ?? accounts[0]
  return layout({
    locale,
    system,
    heading: texts.accountTitle,
    lead: fill(texts.accountLead, { system: bdi(system.name) }),
    faulty: Boolean(error),
    body: html`${errorSummary(locale, error)}
<form method="post" action="${action}">
${csrfField(csrf)}
<fieldset class="choices" aria-labelledby="heading">
${accounts.map((account) => choice(account, account === chosen, locale))}
</fieldset>
<div class="actions within-reach">
<button type="submit" id="submit">${texts.continue}</button>
</div>
<p class="note">${texts.signedInAs} ${bdi(email)}</p>
</form>`,
  })
}

function choice({ id, name, kind }: AccountChoice, checked: boolean, locale: Locale): Html {
  const texts = textsOf(locale)
  return html`<label class="choice">
<span class="avatar" aria-hidden="true">${initialOf(name)}</span>
<span class="names">${bdi(name)}${kind && html` <small>${kind === 'personal' ? texts.accountPersonal : texts.accountOrganization}</small>`}</span>
<input type="radio" name="accountId" value="${id}" required${checked && html` checked`}>
</label>
`
}
