/** Pages of a sign-in by a connection of an organization. */
import { type Locale, textsOf } from '../../texts/texts.ts'
import { csrfField, errorSummary, exits, wayOn } from '../forms.ts'
import { bdi, type Content, fill, type Html, html, protocolWord } from '../html.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'
import { shortName } from './connection-test.ts'
import { codeField, type MailedCodePage, resendForm } from './mailed-code.ts'

type Page = { locale: Locale; system: SystemLook }

export type OfferedConnection = { id: string; name: string; organization: string; host: string; url: string }

type ConnectionsPage = Page & {
  connections: OfferedConnection[]
  /** Leads to the login page. */
  other: string
  goesOn?: OfferedConnection | undefined
  /** Of a user who is signed in, and has to use one of the connections. */
  exits?: Parameters<typeof exits>[1]
  /** The user is exempt from that, and has no second factor for it. */
  withoutFactor?: boolean
}

/**
 * The connections of an organization. It waits for a click, unless it goes on to one: no other page sends a
 * browser to a provider.
 */
export function connectionsPage({
  locale,
  system,
  connections,
  other,
  goesOn,
  exits: leaving,
  withoutFactor,
}: ConnectionsPage): string {
  const texts = textsOf(locale, 'connection')
  const [first, ...more] = connections.map(({ organization }) => organization)
  const isOne = more.every((each) => each === first)
  return layout({
    locale,
    system,
    heading: texts.title,
    names: { system: system.name },
    lead: isOne
      ? fill(leaving ? texts.requiredLead : texts.lead, { organization: shortName(first ?? '') })
      : texts.leadMany,
    body: html`${withoutFactor && html`<p class="note">${texts.requiredWithoutFactor}</p>`}<div class="actions">
${connections.map(choice(isOne ? texts.begin : texts.beginAt, connections.length > 1))}</div>
${goesOn && html`<p class="note" role="status">${fill(texts.goesOn, { host: bdi(goesOn.host) })}</p>`}
${leaving ? exits(locale, leaving) : html`<nav class="elsewhere"><a href="${other}" id="other">${texts.other}</a></nav>`}`,
  })
}

const choice =
  (label: Parameters<typeof fill<'name' | 'organization'>>[0], isOneOfSeveral: boolean) =>
  ({ id, name, organization, host, url }: OfferedConnection): Html => {
    const names = { name: shortName(name), organization: shortName(organization) }
    return html`<a class="button${isOneOfSeveral && ' quiet'}" id="connection-${id}" href="${url}">${fill(label, names)} <small>${bdi(host)}</small></a>
`
  }

/** Above the other ways of a form: the connections for the address that was typed in it. */
export function connectionWays(locale: Locale, connections: readonly OfferedConnection[]): Content {
  if (connections.length === 0) return false
  const texts = textsOf(locale, 'connection')
  return html`<div class="ways">
${connections.map(
  ({ id, name, organization, url }) =>
    html`<a class="button quiet wide" id="connection-${id}" href="${url}">${fill(texts.beginAt, { organization: shortName(organization), name: shortName(name) })}</a>\n`,
)}</div>`
}

type Person = { email: string | null; name: string | null }

/** The address, or the name of whoever has none. A provider can state neither. */
const nameOf = ({ email, name }: Person): string => email ?? name ?? ''

export function anotherUserPage({
  locale,
  system,
  organization,
  current,
  next,
  action,
  csrf,
  stay,
}: Page & {
  organization: string
  current: Person
  next: Person
  action: string
  csrf: string
  stay: string | undefined
}): string {
  const texts = textsOf(locale, 'connection')
  const names = { organization: shortName(organization), current: bdi(nameOf(current)) }
  const nextName = nameOf(next)
  return layout({
    locale,
    system,
    heading: texts.anotherTitle,
    lead:
      nextName === ''
        ? fill(texts.anotherLeadUnnamed, names)
        : fill(texts.anotherLead, { ...names, next: bdi(nextName) }),
    body: html`<form method="post" action="${action}">
${csrfField(csrf)}
<p>${texts.anotherEnds}</p>
<div class="actions"><button type="submit" id="submit">${texts.anotherContinue}</button></div>
</form>
${stay !== undefined && html`<nav class="elsewhere"><a href="${stay}" id="stay">${texts.back}</a></nav>`}`,
  })
}

const ASKS_FOR_CODE = html`<input type="hidden" name="resend" value="yes">`

type LinkByCodePage = Omit<MailedCodePage, 'abort' | 'confirms'> & {
  name: string
  organization: string
  other: string
}

/** The address that the provider has stated is the user's if they type the code that is sent there. */
export function linkByCodePage({
  locale,
  system,
  name,
  organization,
  email,
  underWay,
  wait = 0,
  action,
  csrf,
  other,
  notice,
  errors = {},
}: LinkByCodePage): string {
  const texts = textsOf(locale, 'connection')
  const { mailedCodeLead, code, continue: go } = textsOf(locale)
  const names = { name: shortName(name), organization: shortName(organization) }
  return layout({
    locale,
    system,
    icon: icons.envelope,
    heading: texts.linkTitle,
    lead: underWay
      ? fill(mailedCodeLead, { email: bdi(email) })
      : fill(texts.linkLead, { ...names, email: bdi(email) }),
    faulty: Boolean(errors.form ?? errors.code),
    body: html`${errorSummary(locale, errors.form)}
${notice && html`<p class="notice" role="status">${notice}</p>`}
<form method="post" action="${action}">
${csrfField(csrf)}
${underWay ? codeField(code, errors.code, errors.form) : ASKS_FOR_CODE}
<p>${fill(texts.linkEffect, { ...names, system: bdi(system.name) })}</p>
<div class="actions"><button type="submit" id="submit">${underWay ? go : texts.linkSend}</button></div>
</form>
<div class="elsewhere">
${underWay && resendForm(locale, { action, hidden: csrfField(csrf), wait })}
<a href="${other}" id="other">${texts.other}</a>
</div>`,
  })
}

export function connectionRefusedPage({
  locale,
  system,
  name,
  organization,
  isFailed,
  again,
  signIn,
  requestId,
}: Page & {
  name: string
  organization: string
  /** The provider was not reached, or its answer is not valid. */
  isFailed: boolean
  again: string
  signIn: string
  requestId: string
}): string {
  const texts = textsOf(locale, 'connection')
  const names = { name: shortName(name), organization: shortName(organization), system: bdi(system.name) }
  return layout({
    locale,
    system,
    icon: icons.alert,
    end: 'bad',
    heading: texts.refusedTitle,
    lead: fill(isFailed ? texts.failedLead : texts.refusedLead, names),
    faulty: true,
    body: html`<div class="actions"><a class="button" id="again" href="${again}">${texts.again}</a></div>
<nav class="elsewhere"><a href="${signIn}" id="other">${texts.other}</a></nav>
<dl class="details"><div><dt>${texts.request}</dt><dd>${protocolWord(requestId, 'request-id')}</dd></div></dl>`,
  })
}

/** A tile of the provider has led here, and the application has no address that starts its sign-in. */
export function connectionStartPage({
  locale,
  system,
  organization,
}: Page & { organization: string }): string {
  const texts = textsOf(locale, 'connection')
  const names = { system: bdi(system.name), organization: shortName(organization) }
  return layout({
    locale,
    system,
    heading: texts.startTitle,
    names: { system: system.name },
    lead: fill(texts.startLead, names),
    body: wayOn(locale, system),
  })
}
