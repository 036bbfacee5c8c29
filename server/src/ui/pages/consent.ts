import { initialOf } from '../brand.ts'
import { csrfField, exits } from '../forms.ts'
import { bdi, type Content, fill, type Html, html, protocolWord } from '../html.ts'
import { type Locale, type Texts, textsOf } from '../i18n/texts.ts'
import { icons } from '../icons.ts'
import { layout, type SystemLook } from '../layout.ts'

export type ConsentPage = {
  locale: Locale
  system: SystemLook
  action: string
  csrf: string
  /** The requested scopes; one without a text is shown by its name. */
  scopes: readonly string[]
  email: string
  account?: { name: string } | undefined
  /** To the login of another user. */
  another?: string | undefined
  /** The user is a new member of the account and was added by another person: asks whether to accept it. */
  entry?: boolean | undefined
  /** Host of the redirect URI. */
  returnsTo?: string | undefined
}

/** Each fact is shown once: the account of an entry is in the heading, and its name may be the address. */
export function consentPage(page: ConsentPage): string {
  const { locale, system, action, csrf, scopes, email, account, entry = false, returnsTo } = page
  const texts = textsOf(locale)
  // a system that the user has entered reads the profile without that scope as well
  const shown = new Set(entry ? [...scopes, 'profile'] : scopes)
  const name = entry || account?.name === email ? undefined : account?.name
  return layout({
    locale,
    system,
    heading: entry ? texts.entryTitle : texts.consentTitle,
    names: { system: system.name, account: account?.name ?? '' },
    body: html`<div class="identity">
<span class="avatar" aria-hidden="true">${initialOf(name ?? email)}</span>
<p class="names"><span class="hidden">${texts.signedInAs} </span>${name === undefined ? bdi(email) : html`${bdi(name)} <small>${bdi(email)}</small>`}</p>
</div>
${entry && html`<p>${texts.entryLead}</p>`}
<p id="asked">${entry ? texts.entryScopes : texts.consentLead}</p>
<ul class="scopes" aria-labelledby="asked">
${[...shown].map((scope) => scopeItem(scope, texts))}
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

function scopeItem(scope: string, texts: Texts): Html {
  const { icon, title, detail } = scopeWords(scope, texts)
  return html`<li>${icon}<span class="names">${title}${detail && html` <small>${detail}</small>`}</span></li>
`
}

function scopeWords(scope: string, texts: Texts): { icon: Html; title: Content; detail?: Content } {
  if (scope === 'openid')
    return { icon: icons.person, title: texts.scopeOpenid, detail: texts.scopeOpenidDetail }
  if (scope === 'email') return { icon: icons.envelope, title: texts.scopeEmail }
  if (scope === 'profile')
    return { icon: icons.badge, title: texts.scopeProfile, detail: texts.scopeProfileDetail }
  if (scope === 'offline_access')
    return { icon: icons.loop, title: texts.scopeOffline, detail: texts.scopeOfflineDetail }
  return { icon: icons.key, title: fill(texts.scopeOther, { scope: protocolWord(scope) }) }
}
