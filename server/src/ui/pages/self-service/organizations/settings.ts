/** The settings of an organization, for its admins. */

import { isShownImage } from '../../../../texts/brand.ts'
import { LANGUAGE_TAGS, textsOf } from '../../../../texts/texts.ts'
import { field } from '../../../forms.ts'
import { fillPlain, type Html, html } from '../../../html.ts'
import { type AccountPage, framed, textField } from '../frame.ts'
import type { TabbedOrganization } from '../organization-parts.ts'
import { panel, panelForm } from '../rows.ts'

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
    labels: { name: texts.name, color: texts.color, logo: texts.logo },
    body: html`${panel({
      body: panelForm({
        action: at,
        csrf,
        hidden: html`<input type="hidden" name="nameBefore" value="${name}">`,
        body: html`${textField(input, errors)}
<div class="checks">${flag('membersVisible', membersVisible, texts.membersVisible)}
${flag('acceptOtherAddress', acceptOtherAddress, texts.acceptOtherAddress, texts.acceptOtherAddressHint)}
${factorFlag(page)}</div>`,
        foot: [html`<button type="submit" id="submit">${textsOf(locale, 'profile').save}</button>`],
      }),
    })}${brand(page, at)}`,
  })
}

/** In a new choice of a color. */
const DEFAULT_COLOR = '#3a45c4'
/** 32 kB, as in the admin API. */
const LOGO_BYTES_MAX = 32_768

/** The color and the logo. The logo is chosen with a script, which makes a small PNG of it (image.js). */
function brand(
  { locale, csrf, organization: { branding = {} }, errors = {} }: SettingsPage,
  at: string,
): Html {
  const texts = textsOf(locale, 'organization')
  const { color, logoUrl } = branding
  const remove = html`<div class="checks"><label class="check"><input type="checkbox" id="removeLogo" name="removeLogo" value="yes"><span>${texts.removeLogo}</span></label></div>`
  return panel({
    id: 'brand',
    title: texts.brand,
    hint: texts.brandLead,
    body: panelForm({
      action: `${at}/brand`,
      csrf,
      hidden: html`<input type="hidden" name="colorBefore" value="${color ?? ''}">`,
      body: html`<div class="checks"><label class="check"><input type="checkbox" id="hasColor" name="hasColor" value="yes"${color && html` checked`}><span>${texts.ownColor}</span></label></div>
${field({
  id: 'color',
  label: texts.color,
  error: errors.color,
  input: (more) =>
    html`<input id="color" name="color" type="color" value="${color ?? DEFAULT_COLOR}"${more}>`,
})}
<div class="image" data-image="${LOGO_BYTES_MAX}" data-wrong="${texts.logoWrong}" hidden>
<input type="hidden" name="logo">
${field({
  id: 'logo',
  label: texts.logo,
  error: errors.logo,
  hint: html`${texts.logoHint}`,
  input: (more) => html`<input id="logo" type="file" accept="image/*"${more}>`,
})}
<img class="avatar l" alt=""${isShownImage(logoUrl) ? html` src="${logoUrl}"` : html` hidden`}>
<p class="fault" role="status"></p>
</div>
${logoUrl && remove}`,
      foot: [html`<button type="submit" id="save-brand">${textsOf(locale, 'profile').save}</button>`],
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
