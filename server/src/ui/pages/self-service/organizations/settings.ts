/** The settings of an organization, for its admins. */

import { LANGUAGE_TAGS, textsOf } from '../../../../texts/texts.ts'
import { csrfField } from '../../../forms.ts'
import { fillPlain, type Html, html } from '../../../html.ts'
import { type AccountPage, framed, textField } from '../frame.ts'
import type { TabbedOrganization } from '../organization-parts.ts'
import { panel, panelFoot } from '../rows.ts'

export type SettingsPage = AccountPage & {
  organization: TabbedOrganization & {
    acceptOtherAddress: boolean
    requireMfa: boolean
    /** The application or the installation has decided that. */
    requireMfaAbove: boolean
  }
  /** Of the active members. */
  withoutFactor: number
  /** The name as entered, if it was refused. */
  typed?: string | undefined
}

export function settingsPage(page: SettingsPage): string {
  const { locale, csrf, organization, typed, notice, errors = {} } = page
  const texts = textsOf(locale, 'organization')
  const { id, name, membersVisible, acceptOtherAddress } = organization
  const at = `/account/organizations/${id}/settings`
  const input = { id: 'name', label: texts.name, value: typed ?? name, autocomplete: 'off', max: 100 }
  return framed({
    reader: page,
    at,
    organization,
    heading: texts.settings,
    notice,
    errors,
    labels: { name: texts.name },
    body: panel({
      body: html`<form method="post" action="${at}">
${csrfField(csrf)}
<input type="hidden" name="nameBefore" value="${name}">
<div class="body">
${textField(input, errors)}
<div class="checks">${flag('membersVisible', membersVisible, texts.membersVisible)}
${flag('acceptOtherAddress', acceptOtherAddress, texts.acceptOtherAddress, texts.acceptOtherAddressHint)}
${factorFlag(page)}</div>
</div>
${panelFoot(html`<button type="submit" id="submit">${textsOf(locale, 'profile').save}</button>`)}
</form>`,
    }),
  })
}

/** What a higher authority requires is shown, and cannot be changed here. */
function factorFlag({ locale, organization, withoutFactor }: SettingsPage): Html {
  const texts = textsOf(locale, 'organization')
  const { requireMfa, requireMfaAbove } = organization
  const members = new Intl.NumberFormat(LANGUAGE_TAGS[locale]).format(withoutFactor)
  const hint = requireMfaAbove ? texts.requireMfaAbove : fillPlain(texts.requireMfaHint, { members })
  return flag('requireMfa', requireMfa, texts.requireMfa, hint, requireMfaAbove)
}

/** A setting, with the state that the page shows. A fixed one is not sent. */
const flag = (name: string, isOn: boolean, label: string, hint?: string, isFixed = false): Html =>
  html`<input type="hidden" name="${name}Before" value="${isOn && !isFixed ? 'yes' : 'no'}">
<label class="check"><input type="checkbox" id="${name}" name="${name}" value="yes"${isOn && html` checked`}${isFixed && html` disabled`}${hint && html` aria-describedby="${name}-hint"`}><span>${label}</span></label>${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}`
