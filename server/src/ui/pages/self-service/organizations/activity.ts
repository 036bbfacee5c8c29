/** What happened in an organization, newest first. */

import type { KeyOf } from '../../../../texts/message.ts'
import { type Catalog, type Locale, textsOf, timeInUtc } from '../../../../texts/texts.ts'
import { bdi, type Content, fill, html } from '../../../html.ts'
import { icons } from '../../../icons.ts'
import { framed } from '../frame.ts'
import { row } from '../rows.ts'
import { pager } from './pager.ts'
import { organizationTabs, type TabbedOrganization } from './tabs.ts'

/** An audit entry. `actor` and `target` are names; undefined if the admin may not see them. */
export type Activity = {
  time: Date
  action: string
  isRefused: boolean
  actorType: 'user' | 'service' | 'anonymous' | 'server'
  actor: string | undefined
  target: string | undefined
  targetType: string | null
  /** Why a user acts for a member. */
  reason: string | undefined
}

type ActivityPage = {
  locale: Locale
  organization: TabbedOrganization
  entries: Activity[]
  filters: { page: number }
  hasNext: boolean
}

type Texts = Catalog['activity']
/** The actions that have a sentence of their own. */
type Known = KeyOf<Texts, 'actor' | 'target'>

function actorOf({ actorType, actor }: Activity, texts: Texts): Content {
  if (actor !== undefined) return bdi(actor)
  if (actorType === 'server') return texts.server
  return actorType === 'anonymous' ? texts.anonymous : texts.someone
}

/** An entry in words, such as "ana@example.com blocked rui@example.com". */
function sentenceOf(entry: Activity, texts: Texts): Content {
  const { action, isRefused, target, targetType } = entry
  const unknown = targetType === 'invitation' ? texts.somebody : texts.something
  const known = Object.hasOwn(texts, action) ? texts[action as Known] : undefined
  const isFailedLogin = isRefused && action === 'user.login'
  const isStated = !isRefused || /^(access|sign_in|security)\./.test(action)
  const sentence = fill<'actor' | 'target' | 'action'>(
    isFailedLogin ? texts['user.login_failed'] : (known ?? texts.other),
    {
      actor: actorOf(entry, texts),
      target: target === undefined ? unknown : bdi(target),
      action,
    },
  )
  return isFailedLogin || isStated ? sentence : fill(texts.notDone, { sentence })
}

export function activityPage(page: ActivityPage): string {
  const { locale, organization, entries } = page
  const texts = textsOf(locale, 'activity')
  const at = `/account/organizations/${organization.id}/activity`
  const item = (entry: Activity) => {
    const { reason, time } = entry
    const why = reason === undefined ? [] : [fill(texts.reason, { reason: bdi(reason) })]
    return row(sentenceOf(entry, texts), [...why, timeInUtc(time, locale)])
  }
  return framed({
    locale,
    at,
    icon: icons.clock,
    heading: texts.title,
    names: { account: organization.name },
    tabs: organizationTabs(locale, organization, '/activity'),
    body: html`<p>${texts.lead}</p>
${entries.length > 0 ? html`<ul class="scopes">\n${entries.map(item)}</ul>` : html`<p role="status">${texts.none}</p>`}
${pager(page, at, texts.tab)}`,
  })
}
