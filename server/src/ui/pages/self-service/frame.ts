/** The frame of the pages of the signed-in user: header, navigation, notice and errors. */

import { hueOf, initialOf } from '../../../texts/brand.ts'
import { type Locale, textsOf } from '../../../texts/texts.ts'
import { avatarOf } from '../../avatar.ts'
import { errorSummary, field } from '../../forms.ts'
import { bdi, type Content, fill, type Html, html, withoutControls } from '../../html.ts'
import { icons } from '../../icons.ts'
import {
  documentOf,
  type Heading,
  headingOf,
  markOf,
  type PlainHeading,
  type SystemLook,
  titleOf,
} from '../../layout.ts'
import { organizationParts, type TabbedOrganization } from './organization-parts.ts'

/** Who reads the page. */
export type PageReader = {
  locale: Locale
  /** The application from which the pages were opened; by default the installation. */
  look: SystemLook
  person: { id: string; email: string; name: string | null }
  /** The time zone in the profile. */
  zone: string | null
}

/** Messages by field; `form` belongs to no field. */
export type Faults = { [id: string]: string | undefined }

export type AccountPage = PageReader & {
  csrf: string
  notice?: string | undefined
  errors?: Faults | undefined
}

/** An entry of a navigation: its path, its text and its icon. */
type Part = readonly [path: string, text: string, icon: Html]

type Framed = {
  reader: PageReader
  /** The path of the page. */
  at: string
  /** The organization of the page, which has a navigation of its own. */
  organization?: TabbedOrganization | undefined
  /** The page above. */
  crumb?: { href: string; text: string }
  lead?: Content
  /** Beside the heading. */
  acts?: Content
  /** The page has a table, which uses all of the width. */
  isWide?: boolean
  /** Confirms a change. */
  notice?: string | undefined
  errors?: Faults | undefined
  /** Labels of the fields that can have an error. */
  labels?: Record<string, string>
  body: Content
}

/** The pages below an entry of the navigation. */
const WITHIN: Record<string, string> = {
  '/account/password': '/account/security',
  '/account/security/codes': '/account/security',
  '/account/email': '/account',
  '/account/delete': '/account',
}

const pathWithin = (at: string) =>
  WITHIN[at] ?? (at.startsWith('/account/organizations/') ? '/account/accounts' : at)

function ownParts(locale: Locale): Part[] {
  const texts = textsOf(locale, 'profile')
  return [
    ['/account', texts.profileTitle, icons.person],
    ['/account/security', texts.securityTitle, icons.lock],
    ['/account/sessions', texts.sessionsTitle, icons.device],
    ['/account/accounts', texts.membershipsTitle, icons.building],
    ['/account/applications', texts.applicationsTitle, icons.plug],
  ]
}

type Navigation = { label: string; title: Content; parts: Part[]; at: string; isHere: boolean }

function navigation({ label, title, parts, at, isHere }: Navigation): Html {
  const current = parts.findLast(
    ([path]) => at === path || (path !== '/account' && at.startsWith(`${path}/`)),
  )
  const mark = ([path]: Part) =>
    isHere && path === current?.[0] && html` aria-current="${path === at ? 'page' : 'true'}"`
  return html`<nav class="nav${isHere && ' here'}" aria-label="${label}"><h2>${title}</h2>
<ul>
${parts.map((part) => html`<li><a href="${part[0]}"${mark(part)}>${part[2]}${part[1]}</a></li>\n`)}</ul></nav>
`
}

export const initials = (id: string, name: string, size: Content = ''): Html =>
  html`<span class="avatar ${size} hue${hueOf(id)}" aria-hidden="true">${initialOf(name)}</span>`

const named = ({ id, name }: TabbedOrganization) => ({ id, name })

function side({ reader: { locale }, at, organization }: Framed): Html {
  const { you } = textsOf(locale, 'profile')
  const isOfOrganization = organization !== undefined
  return html`<div class="side">
${navigation({ label: you, title: you, parts: ownParts(locale), at: pathWithin(at), isHere: !isOfOrganization })}${
  organization &&
  navigation({
    label: withoutControls(organization.name),
    title: html`${avatarOf({ ...organization.branding, ...named(organization) }, 'xs')}${bdi(organization.name)}`,
    parts: organizationParts(locale, organization),
    at,
    isHere: true,
  })
}</div>`
}

/** The way back: to the page that has linked to an organization, else to the application. */
function wayBack({ locale, look }: PageReader, organization: TabbedOrganization | undefined): Content {
  const { returnTo, system } = organization ?? {}
  const [href, name] = returnTo && system ? [returnTo, system] : [look.next, look.name]
  if (!href) return undefined
  const label = fill(textsOf(locale).returnTo, { system: bdi(name) })
  return html`<a class="back" href="${href}" id="return">${icons.back}<span>${label}</span></a>
`
}

function header({ reader, organization }: Framed): Html {
  const { locale, look, person } = reader
  const texts = textsOf(locale, 'profile')
  const name = person.name ?? person.email
  return html`<header class="top"><div>
<a class="brand" href="/account">${markOf(look)}${!look.logoUrl && bdi(look.name)}</a>
${wayBack(reader, organization)}<details class="menu"><summary>${initials(person.id, name, 'round')}<span class="named">${bdi(name)}</span>${icons.down}</summary>
<div class="pop"><p>${person.name !== null && html`<b>${bdi(person.name)}</b>`}<small>${bdi(person.email)}</small></p>
<hr>
<a href="/account">${icons.person}${texts.yourProfile}</a>
<a href="/session/end" id="sign-out">${icons.door}${texts.signOut}</a></div></details>
</div></header>`
}

export function framed<Name extends string>(page: Framed & Heading<Name>): string
export function framed(page: Framed & PlainHeading): string
export function framed(page: Framed & (Heading<string> | PlainHeading)): string {
  const { reader, heading, names = {}, crumb, lead, acts, isWide, notice, errors = {}, labels = {} } = page
  const { locale, look } = reader
  const faulty = Object.keys(labels).filter((id) => errors[id])
  const isFaulty = Boolean(errors.form) || faulty.length > 0
  const within = page.organization?.name ?? look.name
  return documentOf({
    locale,
    system: look,
    title: titleOf({ locale, heading, names, within, faulty: isFaulty }),
    isFramed: true,
    body: html`<body class="framed">
<a class="skip" href="#content">${textsOf(locale, 'profile').skip}</a>
${header(page)}
<div class="site">
${side(page)}
<main class="page${isWide && ' full'}" id="content">
${crumb && html`<p class="crumb">${icons.back}<a href="${crumb.href}">${crumb.text}</a></p>`}
<div class="head"><div><h1 id="heading">${headingOf(heading, names)}</h1>
${lead && html`<p class="lead">${lead}</p>`}</div>
${acts && html`<div class="acts">${acts}</div>`}</div>
${notice && html`<p class="notice" role="status">${notice}</p>`}
${errorSummary(
  locale,
  errors.form,
  faulty.map((id) => ({ id, label: labels[id]! })),
)}
${page.body}
</main>
</div>`,
  })
}

type Input = {
  id: string
  label: string
  type?: 'text' | 'email' | 'url' | 'tel' | 'date'
  hint?: Html
  value?: string | undefined
  autocomplete: string
  max?: number
  focus?: boolean
}

export const textField = (
  { id, label, type = 'text', hint, value, autocomplete, max, focus }: Input,
  errors: Faults,
): Html =>
  field({
    id,
    label,
    error: errors[id],
    hint,
    input: (more) =>
      html`<input id="${id}" name="${id}" type="${type}" autocomplete="${autocomplete}"${type === 'email' && html` autocapitalize="none" spellcheck="false" required`}${value !== undefined && html` value="${value}"`}${max !== undefined && html` maxlength="${max}"`}${(focus ?? errors[id]) && html` autofocus`}${more}>`,
  })
