import { type Locale, textsOf } from '../../texts/texts.ts'
import { csrfField, errorSummary, exits, field, signedInAs } from '../forms.ts'
import { bdi, fill, html } from '../html.ts'
import { layout, type SystemLook } from '../layout.ts'

export type JoinPage = {
  locale: Locale
  system: SystemLook
  action: string
  csrf: string
  /** The address that leads to the login of another user. */
  another?: string | undefined
  /** Address of the signed-in user. */
  email: string
  /** Whether the user creates an organization account and names it. */
  multiAccount: boolean
  accountName?: string | undefined
  /** Messages by field. */
  errors?: { accountName?: string | undefined }
}

export function joinPage({
  locale,
  system,
  action,
  csrf,
  another,
  email,
  multiAccount,
  accountName,
  errors = {},
}: JoinPage): string {
  const texts = textsOf(locale)
  const faulty = errors.accountName ? [{ id: 'accountName', label: texts.organizationName }] : []
  return layout({
    locale,
    system,
    heading: texts.joinTitle,
    names: { system: system.name },
    lead: fill(texts.joinLead, { system: bdi(system.name) }),
    faulty: faulty.length > 0,
    body: html`${errorSummary(locale, undefined, faulty)}
<form method="post" action="${action}">
${csrfField(csrf)}
${
  multiAccount &&
  field({
    id: 'accountName',
    label: texts.organizationName,
    error: errors.accountName,
    input: (more) =>
      html`<input id="accountName" name="accountName" type="text" autocomplete="organization" maxlength="100" required value="${accountName}" autofocus${more}>`,
  })
}
<div class="actions pair">
<button type="submit" id="submit">${texts.join}</button>
<button type="submit" id="deny" name="decision" value="deny" class="quiet" formnovalidate>${texts.notNow}</button>
</div>
</form>
${signedInAs(locale, email)}
${exits(locale, { csrf, another })}`,
  })
}
