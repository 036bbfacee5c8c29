/** The test of a connection of an organization: the page with its button, and the result. */
import type { KeyOf } from '../../texts/message.ts'
import { type Catalog, type Locale, textsOf } from '../../texts/texts.ts'
import { csrfField } from '../forms.ts'
import { bdi, type Content, fill, type Html, html, protocolWord } from '../html.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'
import { timeAt } from '../times.ts'

type ConnectionPage = {
  locale: Locale
  system: SystemLook
  /** Of the connection. */
  name: string
  organization: string
  issuer: string
  /** Where the provider signs people in. */
  host: string
  kind: 'oidc' | 'saml'
}

type Words = Catalog['connectionTest']

/** Names on this page; a longer one is cut. */
const NAME_MAX = 40
export const shortName = (name: string) =>
  bdi(name.length > NAME_MAX ? `${name.slice(0, NAME_MAX - 1)}…` : name)

export function connectionTestPage(page: ConnectionPage & { action: string; csrf: string }): string {
  const { locale, system, name, organization, host, action, csrf } = page
  const texts = textsOf(locale, 'connectionTest')
  const names = { name: shortName(name), organization: shortName(organization) }
  return layout({
    locale,
    system,
    heading: texts.title,
    lead: fill(texts.lead, names),
    body: html`<form method="post" action="${action}">
${csrfField(csrf)}
<p>${fill(texts.leadsTo, { host: bdi(host) })}</p>
<p class="hint">${texts.changesNothing}</p>
<div class="actions"><button type="submit" id="submit">${texts.begin}</button></div>
</form>`,
  })
}

type Stated = {
  subject: string | null
  missing: string[]
  email: string | null
  address: 'verified' | 'unverified' | 'guest'
  name: string | null
  groups: string[] | 'overage' | null
  mfa: boolean
  authTime: number | null
}

type Result =
  | { assertion: Stated; standing: { isOwnDomain: boolean; isMember: boolean }; refused?: never }
  | {
      assertion?: never
      refused: { code: string; detail: string | undefined; requestId: string; again: string }
    }

export function connectionResultPage(page: ConnectionPage & Result): string {
  const { locale, system, name } = page
  const texts = textsOf(locale, 'connectionTest')
  const isGood = page.refused === undefined
  const tone = isGood ? (hasWarning(page, texts) ? 'wait' : 'good') : 'bad'
  return layout({
    locale,
    system,
    icon: tone === 'good' ? icons.tick : icons.alert,
    end: tone,
    heading: isGood ? texts.passedTitle : texts.failedTitle,
    lead: fill(leadOf(page, texts), { name: shortName(name) }),
    faulty: !isGood,
    body: page.refused === undefined ? statedFacts(page, texts) : refusal(locale, page.refused),
  })
}

function leadOf(page: ConnectionPage & Result, texts: Words) {
  if (page.refused !== undefined) return texts.failedLead
  return hasWarning(page, texts) ? texts.passedWarnings : texts.passedLead
}

const hasWarning = (page: ConnectionPage & Extract<Result, { assertion: object }>, texts: Words): boolean =>
  sentencesOf(page, texts).some((each) => each !== texts.member)

const REFUSALS: Record<string, KeyOf<Words>> = {
  no_subject: 'noSubject',
  provider_unavailable: 'unavailable',
  provider_refused: 'refusedThere',
}

/** Why a test has failed. */
function sentenceOf(locale: Locale, code: string): string {
  const own = REFUSALS[code]
  if (own) return textsOf(locale, 'connectionTest')[own]
  const others = textsOf(locale, 'connectionRefusals')
  return Object.hasOwn(others, code)
    ? others[code as KeyOf<typeof others>]
    : textsOf(locale, 'connectionTest').invalid
}

function refusal(
  locale: Locale,
  { code, detail, requestId, again }: NonNullable<Extract<Result, { refused: object }>['refused']>,
): Html {
  const texts = textsOf(locale, 'connectionTest')
  return html`<p>${sentenceOf(locale, code)}</p>
<p><a class="button" id="again" href="${again}">${texts.again}</a></p>
<dl class="details claims">
${row(texts.code, protocolWord(code))}${detail && row(texts.detail, protocolWord(detail))}${row(texts.request, protocolWord(requestId))}</dl>`
}

const row = (label: string, value: Content): Html => html`<div><dt>${label}</dt><dd>${value}</dd></div>\n`

function statedFacts(page: ConnectionPage & Extract<Result, { assertion: object }>, texts: Words): Html {
  const { assertion, issuer } = page
  const { subject, email, name, groups, mfa, authTime, address } = assertion
  const yesNo = (isTrue: boolean) => (isTrue ? texts.yes : texts.no)
  return html`<section aria-labelledby="stated">
<h2 id="stated">${texts.stated}</h2>
<dl class="details claims">
${row(texts.issuer, protocolWord(issuer))}${row(texts.subject, protocolWord(subject ?? ''))}${row(texts.email, email === null ? texts.none : bdi(email))}${row(texts.vouched, yesNo(address === 'verified'))}${row(texts.name, name === null ? texts.none : bdi(name))}${groups !== null && row(texts.groups, groups === 'overage' ? texts.tooMany : String(groups.length))}${row(texts.mfa, yesNo(mfa))}${row(texts.authTime, authTime === null ? texts.none : timeAt({ locale: page.locale, zone: null }, new Date(authTime * 1_000)))}</dl>
</section>
<section aria-labelledby="would">
<h2 id="would">${texts.would}</h2>
<ul class="scopes advice">
${sentencesOf(page, texts).map((each) => advice(each, each === texts.member))}</ul>
</section>`
}

const advice = (sentence: Content, isGood: boolean): Html =>
  html`<li class="${isGood ? 'good' : 'wait'}">${isGood ? icons.check : icons.alert}<span class="names">${sentence}</span></li>\n`

/** What a sign-in with this answer would meet. */
function sentencesOf(
  { assertion, standing, kind }: Pick<ConnectionPage, 'kind'> & Extract<Result, { assertion: object }>,
  texts: Words,
): Content[] {
  const { missing, email, address, authTime, mfa, subject } = assertion
  const isSaml = kind === 'saml'
  const isKnown = address === 'verified' && standing.isOwnDomain
  return [
    missing.length > 0 && fill(texts.claimMissing, { claims: bdi(missing.join(', ')) }),
    email === null && texts.noAddress,
    email !== null && !standing.isOwnDomain && texts.foreignDomain,
    address === 'guest' && texts.guest,
    email !== null && address === 'unverified' && (isSaml ? texts.unverifiedSaml : texts.unverified),
    isSaml && subject?.includes('@') === true && texts.subjectIsAddress,
    isKnown && (standing.isMember ? texts.member : texts.noMember),
    !mfa && texts.noFactor,
    authTime === null && texts.noAuthTime,
  ].filter((each) => each !== false)
}
