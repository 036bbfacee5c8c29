import { scopeOfClaim } from '../../oidc/policy/scopes.ts'
import type { KeyOf } from '../../texts/message.ts'
import { LANGUAGE_TAGS, type Locale, type Texts, textsOf } from '../../texts/texts.ts'
import { avatarOf, type OrganizationLook } from '../avatar.ts'
import { csrfField, exits } from '../forms.ts'
import { bdi, type Content, fill, type Html, html, protocolWord } from '../html.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'

export type ConsentPage = {
  locale: Locale
  system: SystemLook
  action: string
  csrf: string
  /** The requested scopes; one without a text is shown by its name. */
  scopes: readonly string[]
  /** Claims that are requested by name, beyond the scopes. */
  claims?: readonly string[]
  email: string
  account?: ({ name: string } & OrganizationLook) | undefined
  /** The address that leads to the login of another user. */
  another?: string | undefined
  /** The user is a new member of the account and was added by another person: asks whether to accept it. */
  entry?: boolean | undefined
  /** Host of the redirect URI. */
  returnsTo?: string | undefined
}

/** Each fact is shown once: the account of an entry is in the heading, and its name may be the address. */
export function consentPage(page: ConsentPage): string {
  const { locale, system, action, csrf, scopes, claims = [], email, account, entry = false, returnsTo } = page
  const texts = textsOf(locale)
  // a system that the user has entered reads the profile without this scope as well
  const shown = new Set(entry ? [...scopes, 'profile'] : scopes)
  const name = entry || account?.name === email ? undefined : account?.name
  return layout({
    locale,
    system,
    heading: entry ? texts.entryTitle : texts.consentTitle,
    names: { system: system.name, account: account?.name ?? '' },
    body: html`<div class="identity">
${avatarOf({ ...(name !== undefined && account), id: name ?? email, name: name ?? email })}
<p class="names"><span class="hidden">${texts.signedInAs} </span>${name === undefined ? bdi(email) : html`${bdi(name)} <small>${bdi(email)}</small>`}</p>
</div>
${entry && html`<p>${texts.entryLead}</p>`}
<p id="asked">${entry ? texts.entryScopes : texts.consentLead}</p>
<ul class="scopes" aria-labelledby="asked">
${[...shown].map((scope) => scopeItem(scope, texts))}
${factItems(claims, { shown, locale, texts })}
</ul>
<form method="post" action="${action}">
${csrfField(csrf)}
<div class="actions pair">
<button type="submit" id="submit">${entry ? texts.join : texts.allow}</button>
<button type="submit" id="deny" class="quiet" name="decision" value="deny">${entry ? texts.notNow : texts.cancel}</button>
</div>
${returnsTo && html`<p class="note">${fill(texts.consentReturn, { host: html`<strong>${bdi(returnsTo)}</strong>` })}</p>`}
</form>
${exits(locale, page)}`,
  })
}

/** The facts of the profile by claim, as they are listed. */
const FACTS = {
  name: 'factName',
  given_name: 'factGivenName',
  family_name: 'factFamilyName',
  middle_name: 'factMiddleName',
  nickname: 'factNickname',
  preferred_username: 'factUsername',
  profile: 'factProfile',
  picture: 'factPicture',
  website: 'factWebsite',
  gender: 'factGender',
  birthdate: 'factBirthdate',
  zoneinfo: 'factZoneinfo',
  locale: 'factLocale',
  updated_at: 'factUpdatedAt',
} as const satisfies Record<string, KeyOf<Texts>>
type Fact = keyof typeof FACTS

/** A claim that is a whole scope is shown as that scope; those of the profile are shown in one item. */
function factItems(
  claims: readonly string[],
  { shown, locale, texts }: { shown: Set<string>; locale: Locale; texts: Texts },
): Html[] {
  const facts = (Object.keys(FACTS) as Fact[]).filter((fact) => claims.includes(fact))
  const names = shown.has('profile') ? [] : facts.map((fact) => texts[FACTS[fact]])
  const list = new Intl.ListFormat(LANGUAGE_TAGS[locale], { type: 'conjunction' }).format(names)
  const whole = new Set(
    claims.filter((claim) => !(claim in FACTS)).map((claim) => scopeOfClaim(claim) ?? claim),
  )
  return [
    ...[...whole].filter((scope) => !shown.has(scope)).map((scope) => scopeItem(scope, texts)),
    ...(names.length > 0 ? [item({ icon: icons.badge, title: texts.factsTitle, detail: list })] : []),
  ]
}

/** What an application is allowed, by scope or by claim, in words. */
export const accessWords = (allowed: readonly string[], texts: Texts): Content[] =>
  allowed.map((each) =>
    each in FACTS ? texts[FACTS[each as Fact]] : scopeWords(scopeOfClaim(each) ?? each, texts).title,
  )

function scopeItem(scope: string, texts: Texts): Html {
  return item(scopeWords(scope, texts))
}

type Item = { icon: Html; title: Content; detail?: Content }

const item = ({ icon, title, detail }: Item): Html =>
  html`<li>${icon}<span class="names">${title}${detail && html` <small>${detail}</small>`}</span></li>
`

function scopeWords(scope: string, texts: Texts): Item {
  if (scope === 'openid')
    return { icon: icons.person, title: texts.scopeOpenid, detail: texts.scopeOpenidDetail }
  if (scope === 'email') return { icon: icons.envelope, title: texts.scopeEmail }
  if (scope === 'profile')
    return { icon: icons.badge, title: texts.scopeProfile, detail: texts.scopeProfileDetail }
  if (scope === 'phone') return { icon: icons.handset, title: texts.scopePhone }
  if (scope === 'address') return { icon: icons.house, title: texts.scopeAddress }
  if (scope === 'offline_access')
    return { icon: icons.loop, title: texts.scopeOffline, detail: texts.scopeOfflineDetail }
  return { icon: icons.key, title: fill(texts.scopeOther, { scope: protocolWord(scope) }) }
}
