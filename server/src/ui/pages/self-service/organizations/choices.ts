/** The choice of the roles and profiles of a membership. */

import { type Locale, textsOf } from '../../../../texts/texts.ts'
import { bdi, type Content, type Html, html } from '../../../html.ts'
import { badge } from '../rows.ts'

/** A role or a profile. */
export type MemberOption = {
  id: string
  name: string
  isAdmin: boolean
  isAssignable: boolean
  isHeld: boolean
}

/** The form also sends what the page shows as chosen, so that only the difference is applied. */
export function choices(
  locale: Locale,
  field: 'roles' | 'profiles',
  options: MemberOption[],
  legend?: string,
): Content {
  if (options.length === 0) return undefined
  const texts = textsOf(locale, 'organization')
  const before = ({ id }: MemberOption): Html =>
    html`<input type="hidden" name="${field}Before" value="${id}">`
  const box = ({ id, name, isAdmin, isHeld }: MemberOption): Html =>
    html`<label class="check"><input type="checkbox" name="${field}" value="${id}"${isHeld && html` checked`}><span>${bdi(name)}${isAdmin && badge(texts.administrator)}</span></label>
`
  return html`<fieldset class="checks">
<legend>${legend ?? texts[field]}</legend>
${options.filter(({ isHeld }) => isHeld).map(before)}
${options.map(box)}</fieldset>`
}
