/** The page on which users delete their own profile: what ends, and what prevents it. */

import { textsOf } from '../../../texts/texts.ts'
import { bdi, type Content, type Html, html } from '../../html.ts'
import { type AccountPage, framed, initials } from './frame.ts'
import { badge, panel, panelForm, row, rowList } from './rows.ts'

type DeletePage = AccountPage & {
  organizations: {
    id: string
    name: string
    /** Its name. */
    system: string
    fate: 'left' | 'lastAdmin' | 'deleted' | 'kept'
    hasPage: boolean
  }[]
  /** Names. */
  applications: string[]
  isLastOfPlatform: boolean
}

const FATES = {
  left: 'fateLeft',
  lastAdmin: 'fateLastAdmin',
  deleted: 'fateDeleted',
  kept: 'fateKept',
} as const

export function deletePage(page: DeletePage): string {
  const { locale, organizations, applications, isLastOfPlatform, errors } = page
  const texts = textsOf(locale, 'profile')
  const isPrevented = isLastOfPlatform || organizations.some(({ fate }) => fate === 'lastAdmin')
  return framed({
    reader: page,
    at: '/account/delete',
    crumb: { href: '/account', text: texts.profileTitle },
    heading: texts.deleteTitle,
    lead: texts.deleteHint,
    errors,
    body: html`${isLastOfPlatform && html`<p class="alert wait"><span>${texts.deletePlatform}</span></p>`}
${
  organizations.length > 0 &&
  panel({
    id: 'organizations',
    title: texts.membershipsTitle,
    body: rowList(organizations.map((each) => organizationRow(page, each))),
  })
}
${
  applications.length > 0 &&
  panel({
    id: 'applications',
    title: texts.deleteApplications,
    hint: texts.deleteApplicationsHint,
    body: rowList(applications.map((name) => row(initials(name, name, 'l'), bdi(name), []))),
  })
}
${isPrevented ? html`<p class="note">${texts.deletePrevented}</p>` : confirmation(page)}`,
  })
}

function organizationRow({ locale }: DeletePage, organization: DeletePage['organizations'][number]): Html {
  const { id, name, system, fate, hasPage } = organization
  const texts = textsOf(locale, 'profile')
  const action: Content =
    fate === 'lastAdmin' &&
    hasPage &&
    html`<a class="button quiet" href="/account/organizations/${id}/members">${textsOf(locale, 'organization').members}</a>`
  return row(
    initials(id, name, 'l'),
    html`${bdi(name)}${fate === 'lastAdmin' && badge(texts.prevents, 'wait')}`,
    [bdi(system), texts[FATES[fate]]],
    action,
  )
}

function confirmation({ locale, csrf }: DeletePage): Html {
  const texts = textsOf(locale, 'profile')
  return panel({
    body: panelForm({
      action: '/account/delete',
      csrf,
      body: html`<p id="delete-lead">${texts.deleteLead}</p>`,
      foot: [
        html`<a class="button quiet" id="cancel" href="/account">${textsOf(locale).cancel}</a>`,
        html`<button type="submit" id="submit" class="danger filled" aria-describedby="delete-lead">${texts.deleteNow}</button>`,
      ],
    }),
  })
}
