/** The end of a test of a sign-in: what the application would receive. */
import type { TestResult, TestStep } from '../../database/schema.ts'
import type { KeyOf } from '../../texts/message.ts'
import { type Catalog, type Locale, textsOf } from '../../texts/texts.ts'
import { csrfField, exits } from '../forms.ts'
import { bdi, type Content, fill, type Html, html, protocolWord } from '../html.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'

export type TestSignInPage = {
  locale: Locale
  system: SystemLook
  /** The address of the form that shares the result. */
  action: string
  csrf: string
  result: TestResult
  accountName?: string | undefined
  /** The address of the user who has created the test; null: a service client. */
  creator: string | null
  isShared: boolean
  email: string
  /** The address that leads to the login of another user. */
  another?: string | undefined
}

type Words = Catalog['testSignIn']

/** What the page says about a step; a step without a sentence is not listed. */
const SENTENCES: Record<string, KeyOf<Words>> = {
  'user.another': 'otherUser',
  'credential.password': 'credential',
  'credential.passkey': 'credential',
  'credential.identity': 'credential',
  'code.mailed': 'code',
  'factor.verify': 'factorVerify',
  'address.verify': 'addressVerify',
  'address.confirm': 'addressConfirm',
  'password.change': 'passwordChange',
  'factor.enrol': 'factorEnrol',
  'membership.active': 'membershipActive',
  'membership.join': 'membershipJoin',
  'membership.pending': 'membershipPending',
  'membership.blocked': 'membershipBlocked',
  'membership.none': 'membershipNone',
  'membership.foreign': 'membershipForeign',
  'consent.scopes': 'consentScopes',
  'consent.first_entry': 'consentEntry',
}

const ICONS = {
  passed: icons.check,
  asked: icons.clock,
  refused: icons.barred,
  skipped: icons.check,
} as const satisfies Record<TestStep['verdict'], Html>

const TONES = { passed: 'good', asked: 'wait', refused: 'bad', skipped: 'good' } as const satisfies Record<
  TestStep['verdict'],
  string
>

export function testSignInPage(page: TestSignInPage): string {
  const { locale, system, result, accountName, creator, email } = page
  const texts = textsOf(locale, 'testSignIn')
  const name = bdi(system.name)
  const isOther = result.steps[0]?.step === 'user'
  return layout({
    locale,
    system,
    heading: texts.title,
    names: { system: system.name },
    lead: html`${fill(texts.lead, { system: name })} ${
      creator === null
        ? fill(texts.requestedByService, { system: name })
        : fill(texts.requestedBy, { email: bdi(creator) })
    }`,
    body: html`<p>${textsOf(locale).signedInAs} ${bdi(email)}</p>
<section aria-labelledby="steps">
<h2 id="steps">${texts.steps}</h2>
<ul class="scopes">
${result.steps.map((step) => stepItem(step, texts))}</ul>
</section>
${
  !isOther &&
  html`<section aria-labelledby="values">
<h2 id="values">${texts.values}</h2>
${result.claims ? values(result.claims, accountName, texts) : html`<p>${texts.valuesNone}</p>`}
</section>
${sharing(page, texts)}`
}
${exits(locale, page)}`,
  })
}

function stepItem({ step, verdict, code }: TestStep, texts: Words): Content {
  const key = SENTENCES[`${step}.${code}`]
  return (
    key &&
    html`<li class="${TONES[verdict]}">${ICONS[verdict]}<span class="names">${texts[key]}</span></li>\n`
  )
}

function values(claims: Record<string, unknown>, accountName: string | undefined, texts: Words): Html {
  return html`<dl class="details claims" aria-labelledby="values">
${accountName !== undefined && html`<div><dt>${texts.organization}</dt><dd>${bdi(accountName)}</dd></div>\n`}
${Object.entries(claims).map(([name, value]) => html`<div><dt>${protocolWord(name)}</dt><dd>${protocolWord(valueText(value))}</dd></div>\n`)}</dl>`
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const sharing = ({ system, action, csrf, isShared }: TestSignInPage, texts: Words): Html =>
  isShared
    ? html`<p class="notice" role="status">${texts.shared}</p>`
    : html`<form method="post" action="${action}">
${csrfField(csrf)}
<p>${fill(texts.shareLead, { system: bdi(system.name) })}</p>
<div class="actions"><button type="submit" id="submit">${texts.share}</button></div>
</form>`
