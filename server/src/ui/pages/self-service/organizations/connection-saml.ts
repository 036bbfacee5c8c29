/** What a SAML provider shows: its metadata to paste, or its values one by one. */

import { textsOf } from '../../../../texts/texts.ts'
import { type Content, fillPlain, type Html, html, protocolWord } from '../../../html.ts'
import { timeAt } from '../../../times.ts'
import { textField } from '../frame.ts'
import { foldedPanel, panelForm } from '../rows.ts'
import { area, type ConnectionPage, hiddenIn, labelsOf } from './connection-fields.ts'
import { stepTitle } from './connection-steps.ts'
import { certificateEnd } from './connections.ts'

const FIELDS = ['issuer', 'ssoUrl', 'certificates', 'subjectAttribute'] as const

/** When each certificate ends. */
export const endsOf = (page: ConnectionPage): [string, Content][] =>
  page.connection.certificates.map(({ notAfter }, index) => [
    fillPlain(textsOf(page.locale, 'connections').certificateUntil, { number: String(index + 1) }),
    html`${timeAt(page, new Date(notAfter), 'date')} ${certificateEnd(page, notAfter)}`,
  ])

export function samlForm(page: ConnectionPage, at: string): Html {
  const { locale, csrf, connection, errors = {} } = page
  const texts = textsOf(locale, 'connections')
  const isFixed = connection.testedAt !== null
  const text = (id: 'issuer' | 'ssoUrl' | 'subjectAttribute', max: number, hint: string) =>
    textField(
      { id, label: labelsOf(page)[id], value: page.typed[id], autocomplete: 'off', max, hint: html`${hint}` },
      errors,
    )
  const body = html`${area(page, { id: 'metadata', hint: texts.metadataHint, rows: 4 })}
${isFixed ? fixed(page) : text('issuer', 1_024, texts.samlIssuerHint)}
${text('ssoUrl', 2_000, texts.ssoUrlHint)}
${area(page, { id: 'certificates', hint: texts.certificatesHint, rows: 6 })}
${connection.certificates.length > 0 && details(endsOf(page))}
${!isFixed && text('subjectAttribute', 256, texts.samlSubjectHint)}`
  const isDone = connection.missing.length === 0
  return foldedPanel({
    id: 'provider',
    title: stepTitle(2, texts.provider, isDone),
    hint: texts.samlLead,
    isOpen: !isDone || ['metadata', ...FIELDS].some((each) => errors[each]),
    body: panelForm({
      action: `${at}/provider`,
      csrf,
      hidden: hiddenIn(page, FIELDS),
      body,
      foot: [
        html`<button type="submit"
id="save-provider"${isDone && html` class="quiet"`}>${textsOf(locale, 'profile').save}</button>`,
      ],
    }),
  })
}

const details = (rows: [string, Content][]): Html =>
  html`<dl class="details fixed">
${rows.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>\n`)}</dl>`

function fixed(page: ConnectionPage): Html {
  const { locale, stored } = page
  const texts = textsOf(locale, 'connections')
  const rows: [string, Content][] = [
    [texts.issuer, protocolWord(stored.issuer)],
    [texts.samlSubject, protocolWord(stored.subjectAttribute || 'NameID')],
  ]
  return html`${details(rows)}
<p class="hint">${texts.samlFixed}</p>`
}
