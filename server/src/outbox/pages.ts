/** The pages of the outbox. They are for developers, and in English as the logs are. */
import { readFileSync } from 'node:fs'
import { type Html, html, raw, render } from '../ui/html.ts'
import type { StoredEmail } from './mailbox.ts'

const read = (name: string) => readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8')
export const OUTBOX_STYLE = read('outbox.css')
export const SCRIPT = read('outbox.js')

const document = (title: string, body: Html, newest?: string) =>
  render(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/outbox/outbox.css">
${newest !== undefined && html`<script src="/outbox/outbox.js" data-newest="${newest}" defer></script>`}
</head>
<body>${body}</body>
</html>
`)

export const lockedPage = (): string =>
  document(
    'Outbox',
    html`<main class="empty">
<h1>Open the outbox with its link</h1>
<p>The emails contain links to sign in with. The server prints the link of the outbox at its start, on the line
<b>Emails</b>. An administrator of the platform who is signed in to the console opens this page without it.</p>
</main>`,
  )

/** The list with one email beside it. `shown`: absent without emails. */
export function outboxPage(emails: StoredEmail[], shown: StoredEmail | undefined): string {
  const newest = emails[0]?.name ?? ''
  if (!shown)
    return document(
      'Outbox',
      html`<main class="empty"><h1>No emails yet</h1>
<p>Emails that the server sends appear here at once, while no SMTP server is set (<code>MAIL_URL</code>).</p></main>`,
      newest,
    )
  const rows = emails.map(
    (
      email,
    ) => html`<li><a href="/outbox/${email.name}"${email.name === shown.name && raw(' aria-current="page"')}>
<span class="subject">${email.subject}</span><span class="to">${email.to}</span>${timeOf(email.at)}</a></li>`,
  )
  return document(
    `${shown.subject} – Outbox`,
    html`<nav aria-label="Emails"><h1>Outbox</h1><ol>${rows}</ol></nav>
<main>
<h2>${shown.subject}</h2>
<dl><dt>From</dt><dd>${shown.from}</dd><dt>To</dt><dd>${shown.to}</dd><dt>Sent</dt><dd>${timeOf(shown.at)}</dd>
${shown.codes.map((code) => html`<dt>Code</dt><dd><code>${code}</code>${copyButton(code, 'code')}</dd>`)}
${shown.links.map(
  (link) =>
    html`<dt>Link</dt><dd><a href="${link}" target="_blank" rel="noopener">${link}</a>${copyButton(link, 'link')}</dd>`,
)}</dl>
<iframe title="The email" src="/outbox/${shown.name}/content" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>
<details><summary>Text</summary><pre>${shown.text}</pre></details>
</main>`,
    newest,
  )
}

/** It is hidden without a script, as it would do nothing. */
const copyButton = (text: string, what: string) =>
  html`<button type="button" class="copy" data-copy="${text}" hidden>Copy the ${what}</button>`

/** The time is in UTC; the script makes it the time of the reader. */
const timeOf = (at: Date) =>
  html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 19).replace('T', ' ')} UTC</time>`

/** The HTML of an email. Its links would open in the frame, where no page of the server is shown. */
export const emailDocument = ({ html: content, text }: StoredEmail): string =>
  content ? content.replace('<head>', '<head><base target="_blank">') : render(html`<pre>${text}</pre>`)
