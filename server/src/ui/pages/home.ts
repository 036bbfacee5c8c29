import { type Locale, textsOf } from '../../texts/texts.ts'
import { html } from '../html.ts'
import { icons } from '../icons.ts'
import { layout, nameAsHeading } from '../layout.ts'

export type HomePage = { locale: Locale; hasConsole: boolean /** Of the installation. */; name: string }

/** The page at `/`: what this server is, and where users and developers continue. */
export function homePage({ locale, hasConsole, name }: HomePage): string {
  const texts = textsOf(locale)
  return layout({
    locale,
    icon: icons.key,
    ...nameAsHeading(name),
    lead: texts.homeLead,
    body: html`<div class="actions">
<a class="button" id="account" href="/account">${texts.homeProfile}</a>
${hasConsole && html`<a class="button quiet" id="console" href="/console/">${texts.homeConsole}</a>`}
<a class="button quiet" id="docs" href="/docs">${texts.homeDocs}</a>
</div>
<p class="note">${texts.homeDiscovery}:<br><a href="/.well-known/openid-configuration">/.well-known/openid-configuration</a></p>`,
  })
}
