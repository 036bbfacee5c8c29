/** What happened in an organization, newest first. */

import type { KeyOf } from '../../../../texts/message.ts'
import { type Catalog, textsOf } from '../../../../texts/texts.ts'
import { bdi, type Content, fill, html } from '../../../html.ts'
import { icons } from '../../../icons.ts'
import { byDay, timeAt } from '../../../times.ts'
import { framed, type PageReader } from '../frame.ts'
import type { TabbedOrganization } from '../organization-parts.ts'
import { emptyList, panel } from '../rows.ts'
import { pager } from './pager.ts'

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

type ActivityPage = PageReader & {
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
    const why = reason !== undefined && fill(texts.reason, { reason: bdi(reason) })
    return html`<li><span class="names">${sentenceOf(entry, texts)}${why && html` <small>${why}</small>`}</span>${timeAt(page, time, 'clock')}</li>
`
  }
  return framed({
    reader: page,
    at,
    organization,
    heading: texts.tab,
    lead: texts.lead,
    body: panel({
      body: html`${entries.length > 0 ? byDay(page, entries, item) : emptyList(icons.list, texts.none)}
${pager(page, at, texts.tab)}`,
    }),
  })
}
