/** What is exchanged with the provider of a connection: values to copy, and the steps at each provider. */

import type { KeyOf } from '../../../../texts/message.ts'
import { type Catalog, textsOf } from '../../../../texts/texts.ts'
import { bdi, type Content, fill, type Html, html } from '../../../html.ts'
import { icons } from '../../../icons.ts'
import type { PageReader } from '../frame.ts'
import { foldedPanel } from '../rows.ts'
import { SERVICES, type Service, serviceName } from './connections.ts'

type Steps = Catalog['connectionSteps']

/** The steps of each provider, in order. */
const STEPS = {
  okta: ['okta1', 'okta2', 'okta3', 'okta4', 'okta5', 'okta6'],
  entra: ['entra1', 'entra2', 'entra3', 'entra4', 'entra5', 'entra6'],
  google: ['google1', 'google2', 'google3', 'google4', 'google5'],
  keycloak: ['keycloak1', 'keycloak2', 'keycloak3', 'keycloak4', 'keycloak5'],
  other: ['other1', 'other2', 'other3', 'other4'],
} as const satisfies Record<Service, readonly KeyOf<Steps>[]>

/** The number of a step of the page, or a tick. */
export const stepTitle = (number: number, title: string, isDone: boolean): Content =>
  html`<span class="step${isDone && ' done'}"
aria-hidden="true">${isDone ? icons.tick : number}</span>${title}`

type Shown = {
  redirectUri: string
  startUrl: string
  service: Service | undefined
  isDone: boolean
}

/** The values can be copied with a script (keep.js); without one a click selects them. */
export function providerSteps(page: PageReader, { redirectUri, startUrl, service, isDone }: Shown): Html {
  const texts = textsOf(page.locale, 'connections')
  const steps = textsOf(page.locale, 'connectionSteps')
  const value = (id: string, label: string, text: string, hint?: string) =>
    html`<div><dt>${label}${hint && html` <small>${hint}</small>`}</dt><dd id="copied-${id}"><code
id="${id}">${bdi(text)}</code><span class="keep scripted" data-keep="copied-${id}"
><button type="button" class="quiet" data-act="copy"
aria-label="${texts.copy}: ${label}" title="${texts.copy}: ${label}">${icons.copy}</button><span
class="hint" role="status" data-done="${texts.copied}"></span></span></dd></div>
`
  const title = (each: Service) =>
    each === 'other' ? texts.otherService : fill(texts.stepsOf, { provider: serviceName(each, texts) })
  const guide = (each: Service) =>
    html`<details class="guide"${each === service && html` open`}><summary
>${icons.next}${title(each)}</summary>
<ol class="menus">
${STEPS[each].map((key) => html`<li>${steps[key]}</li>\n`)}</ol></details>
`
  return foldedPanel({
    id: 'register',
    title: stepTitle(1, texts.register, isDone),
    hint: texts.registerHint,
    isOpen: !isDone,
    body: html`<dl class="details copied values">
${value('redirect-uri', texts.redirectUri, redirectUri)}
${value('start-url', texts.startUrl, startUrl, texts.startUrlHint)}</dl>
<div class="guides">
${SERVICES.map(guide)}</div>`,
  })
}
