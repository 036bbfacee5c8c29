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

const OF_SAML = ['saml1', 'saml2', 'saml3'] as const satisfies readonly KeyOf<Steps>[]

type Shown = {
  /** Of OpenID Connect, and the next two of SAML. */
  redirectUri: string | null
  acsUrl: string | null
  entityId: string | null
  startUrl: string
  service: Service | undefined
  isDone: boolean
}

/** The values can be copied with a script (keep.js); without one a click selects them. */
export function providerSteps(page: PageReader, shown: Shown): Html {
  const { redirectUri, acsUrl, entityId, startUrl, service, isDone } = shown
  const texts = textsOf(page.locale, 'connections')
  const steps = textsOf(page.locale, 'connectionSteps')
  const value = (id: string, label: string, text: string | null, hint?: string) =>
    text !== null &&
    html`<div><dt>${label}${hint && html` <small>${hint}</small>`}</dt><dd id="copied-${id}"><code
id="${id}">${bdi(text)}</code><span class="keep scripted" data-keep="copied-${id}"
><button type="button" class="quiet" data-act="copy"
aria-label="${texts.copy}: ${label}" title="${texts.copy}: ${label}">${icons.copy}</button><span
class="hint" role="status" data-done="${texts.copied}"></span></span></dd></div>
`
  const title = (each: Service) =>
    each === 'other' ? texts.otherService : fill(texts.stepsOf, { provider: serviceName(each, texts) })
  const guide = (isOpen: boolean, summary: Content, keys: readonly KeyOf<Steps>[]) =>
    html`<details class="guide"${isOpen && html` open`}><summary
>${icons.next}${summary}</summary>
<ol class="menus">
${keys.map((key) => html`<li>${steps[key]}</li>\n`)}</ol></details>
`
  const isSaml = redirectUri === null
  return foldedPanel({
    id: 'register',
    title: stepTitle(1, texts.register, isDone),
    hint: texts.registerHint,
    isOpen: !isDone,
    body: html`<dl class="details copied values">
${value('redirect-uri', texts.redirectUri, redirectUri)}
${value('acs-url', texts.acsUrl, acsUrl)}
${value('entity-id', texts.entityId, entityId, texts.entityIdHint)}
${value('start-url', texts.startUrl, startUrl, texts.startUrlHint)}</dl>
<div class="guides">
${
  isSaml
    ? guide(true, texts.otherSaml, OF_SAML)
    : SERVICES.map((each) => guide(each === service, title(each), STEPS[each]))
}</div>`,
  })
}
