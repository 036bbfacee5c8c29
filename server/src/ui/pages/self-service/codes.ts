/** A new factor: its recovery codes, shown once, and the name of a new passkey. */

import { textsOf } from '../../../texts/texts.ts'
import { passkeyNameField } from '../../forms.ts'
import { type Html, html } from '../../html.ts'
import { recoveryCodeList } from '../enrol.ts'
import { type AccountPage, framed } from './frame.ts'
import { panel, panelFoot, panelForm } from './rows.ts'

type CodesPage = AccountPage & {
  /** New recovery codes, if the factor is the first one or the user has asked for them. */
  codes: readonly string[]
  /** A new passkey with its default name, which the user can change. */
  passkey?: { id: string; name: string } | undefined
}

const SECURITY = '/account/security'

export function codesPage(page: CodesPage): string {
  const { locale, codes, passkey } = page
  const [texts, own] = [textsOf(locale), textsOf(locale, 'profile')]
  const hasCodes = codes.length > 0
  const done = html`<a class="button" id="next" href="${SECURITY}">${own.codesKept}</a>`
  return framed({
    reader: page,
    at: `${SECURITY}/codes`,
    crumb: { href: SECURITY, text: own.securityTitle },
    heading: hasCodes ? texts.recoveryTitle : texts.passkeyMadeTitle,
    lead: hasCodes ? texts.recoveryLead : texts.passkeyNameHint,
    body: html`${
      hasCodes &&
      panel({
        body: html`<div class="body">${recoveryCodeList(locale, codes)}</div>
${panelFoot(html`<p class="hint">${texts.recoveryOnce}</p>`, !passkey && done)}`,
      })
    }
${passkey && nameForm(page, passkey)}`,
  })
}

function nameForm({ locale, csrf, codes }: CodesPage, { id, name }: { id: string; name: string }): Html {
  const texts = textsOf(locale)
  const hint = codes.length > 0 ? texts.passkeyNameHint : undefined
  return panel({
    body: panelForm({
      action: `${SECURITY}/rename`,
      csrf,
      hidden: html`<input type="hidden" name="passkey" value="${id}">
<input type="hidden" name="added" value="yes">`,
      body: html`${passkeyNameField({ id: 'name', label: texts.passkeyName, value: name, hint })}`,
      foot: [html`<button type="submit" id="submit">${texts.continue}</button>`],
    }),
  })
}
