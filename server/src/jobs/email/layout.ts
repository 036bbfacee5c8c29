/**
 * The HTML of an email, with the logo or the initial, and the color, of the system that sends it. Styles are
 * inline because many email clients ignore stylesheets; clients that support them also get the dark colors.
 * The logo is the only external resource; a client that does not load images shows the name of the system
 * instead.
 */
import { brandTones, initialOf, isShownImage, type Tones } from '../../texts/brand.ts'

export type EmailBlock =
  /** `isQuote`: the words of a user. */
  | { text: string; isQuote?: boolean }
  | { code: string }
  | { href: string; label: string }
  /** The path of a page of this server; `isMain`: as a button. */
  | { page: string; label: string; isMain: boolean }
  | { details: { label: string; value: string }[] }

export type EmailLayout = {
  /** BCP 47. */
  language: string
  title: string
  sender: { name: string; logoUrl?: string; logoDarkUrl?: string; color?: string }
  /** The address of this server. */
  baseUrl: string
  blocks: EmailBlock[]
  /** The sentence before the address of a button. */
  buttonFails: string
}

/** The colors of a system without a color, as on the pages (tokens.css). */
const DEFAULT_TONES: { light: Tones; dark: Tones } = {
  light: {
    fill: '#1c1c21',
    hover: '#36363d',
    line: '#1c1c21',
    text: '#1c1c21',
    onFill: '#ffffff',
    focus: '#1c1c21',
  },
  dark: {
    fill: '#ededf0',
    hover: '#ffffff',
    line: '#ededf0',
    text: '#ededf0',
    onFill: '#17171a',
    focus: '#ededf0',
  },
}

const FONT =
  "system-ui,-apple-system,'Segoe UI',Roboto,'Hiragino Sans','Yu Gothic UI','Noto Sans JP',sans-serif"

export function emailHtml({ language, title, sender, baseUrl, blocks, buttonFails }: EmailLayout): string {
  const { light, dark } = (sender.color && brandTones(sender.color)) || DEFAULT_TONES
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(title)}</title>
<style>
:lang(ja) { line-break: strict; word-break: auto-phrase }
.card:lang(ja) { line-height: 1.65 !important }
@media (max-width: 480px) {
  .page { padding: 0 !important; background: #ffffff !important }
  .card { padding: 28px 24px 12px !important; border-width: 0 !important; border-radius: 0 !important }
  .details th, .details td { display: block !important; padding: 0 !important }
  .details td { padding-bottom: 8px !important }
  .action, .action .button { display: block !important }
  .action tbody, .action tr, .action td { display: block !important; text-align: center !important }
}
@media (prefers-color-scheme: dark) {
  .page { background: #0d0d10 !important }
  .card { background: #18181c !important; border-color: #2b2b32 !important; color: #ededf0 !important }
  .name { color: #ededf0 !important }
  .logo { padding: 6px 10px !important; border-radius: 8px !important; background: #ffffff !important }
  .own { padding: 0 !important; border-radius: 0 !important; background: transparent !important }
  .fill { background: ${dark.fill} !important; border-color: ${dark.line} !important }
  .fill, .fill a { color: ${dark.onFill} !important }
  .code { background: #212126 !important; border-color: #2b2b32 !important; color: #ededf0 !important }
  .address { color: #a5a6b1 !important }
  .link { color: #ededf0 !important }
  .quote { border-color: #3a3a43 !important }
  .foot { border-color: #2b2b32 !important; color: #a5a6b1 !important }
  .foot .link { color: #a5a6b1 !important }
}
@media (max-width: 480px) and (prefers-color-scheme: dark) {
  .page { background: #18181c !important }
}
</style>
</head>
<body class="page" style="margin:0;padding:40px 16px;background:#f6f6f8">
${previewHtml(blocks)}
<div class="card" role="article" aria-labelledby="title" style="max-width:520px;margin:0 auto;padding:36px 40px 24px;box-sizing:border-box;background:#ffffff;border:1px solid #e5e5ea;border-radius:16px;color:#17171a;font:16px/1.5 ${FONT};overflow-wrap:anywhere">
${senderHtml(sender, light)}
<h1 id="title" style="margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:600;text-wrap:balance">${escaped(title)}</h1>
${bodyHtml(blocks, { tones: light, baseUrl, buttonFails })}
</div>
</body>
</html>
`
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** The alternative text of the logo has the style of the name that is shown next to an initial. */
function senderHtml(
  { name, logoUrl, logoDarkUrl }: { name: string; logoUrl?: string; logoDarkUrl?: string },
  { fill, line, onFill }: Tones,
): string {
  const font = `font:600 16px/36px ${FONT}`
  if (isShownImage(logoUrl)) {
    const dark = isShownImage(logoDarkUrl) ? logoDarkUrl : undefined
    const logo = `<img class="logo${dark ? ' own' : ''}" src="${escaped(logoUrl)}" alt="${escaped(name)}" height="36" style="display:block;width:auto;height:36px;max-width:100%;box-sizing:border-box;border:0;object-fit:contain;object-position:left;${font};color:inherit">`
    const shown = dark
      ? `<picture><source srcset="${escaped(dark)}" media="(prefers-color-scheme: dark)">${logo}</picture>`
      : logo
    return `<p class="name" style="margin:0 0 24px;color:#17171a">${shown}</p>`
  }
  return `<table role="presentation" cellspacing="0" cellpadding="0" border="0" style="margin:0 0 24px;border-collapse:separate"><tr>
<td class="fill" aria-hidden="true" width="36" height="36" align="center" valign="middle" style="width:36px;height:36px;box-sizing:border-box;border:1px solid ${line};border-radius:10px;background:${fill};color:${onFill};font:600 16px/1 ${FONT}">${escaped(initialOf(name))}</td>
<td class="name" valign="middle" style="padding-left:12px;color:#17171a;font:600 16px/1.3 ${FONT}">${escaped(name)}</td>
</tr></table>`
}

/** What lists of emails show after the subject: otherwise the heading, which is the subject again. */
function previewHtml(blocks: EmailBlock[]): string {
  const first = blocks.find((block) => 'text' in block)
  return first
    ? `<div style="display:none;max-height:0;overflow:hidden;opacity:0">${escaped(first.text)}</div>`
    : ''
}

type Drawn = Pick<EmailLayout, 'baseUrl' | 'buttonFails'> & { tones: Tones }

/**
 * The foot is what follows the code or the button: when it ends, what to do if it is not for the reader, and
 * the address of the button as text, for a client that shows no buttons.
 */
function bodyHtml(blocks: EmailBlock[], { tones, baseUrl, buttonFails }: Drawn): string {
  const last = blocks.findLastIndex(
    (block) => 'href' in block || 'code' in block || ('page' in block && block.isMain),
  )
  const isFoot = (index: number) => last !== -1 && index > last
  const draw = (block: EmailBlock, index: number) =>
    blockHtml(block, { tones, baseUrl, margin: isFoot(index) ? '0 0 8px' : '0 0 16px' })
  const body = blocks.filter((_, index) => !isFoot(index)).map(draw)
  const foot = blocks.filter((_, index) => isFoot(index)).map((block) => draw(block, last + 1))
  for (const block of blocks) if ('href' in block) foot.push(addressHtml(block.href, buttonFails))
  if (foot.length === 0) return body.join('\n')
  return `${body.join('\n')}
<div class="foot" style="margin:24px 0 0;padding:16px 0 0;border-top:1px solid #e5e5ea;color:#5d5e67;font-size:14px">
${foot.join('\n')}
</div>`
}

const addressHtml = (href: string, buttonFails: string) =>
  `<p style="margin:0 0 8px">${escaped(buttonFails)}<br><a class="address" href="${escaped(href)}" style="color:#5d5e67">${escaped(href)}</a></p>`

type Place = { tones: Tones; baseUrl: string; margin: string }

function blockHtml(block: EmailBlock, { tones, baseUrl, margin }: Place): string {
  if ('text' in block)
    return `<p${block.isQuote ? ' class="quote"' : ''} style="margin:${margin}${block.isQuote ? ';padding:2px 0 2px 14px;border-left:3px solid #d3d3da' : ''}">${escaped(block.text)}</p>`
  if ('code' in block)
    return `<p class="code" style="margin:24px 0;padding:16px 12px;border:1px solid #e5e5ea;border-radius:12px;background:#f4f4f6;font:600 32px/1.25 ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px;text-align:center;text-indent:6px">${escaped(block.code)}</p>`
  if ('details' in block) return detailsHtml(block.details)
  const { label } = block
  const href = 'page' in block ? baseUrl + block.page : block.href
  return 'page' in block && !block.isMain
    ? linkHtml({ href, label }, margin)
    : buttonHtml({ href, label }, tones)
}

type Link = { href: string; label: string }

/** A table cell, because some clients drop the padding of links. */
const buttonHtml = ({ href, label }: Link, { fill, line, onFill }: Tones) =>
  `<table class="action" role="presentation" cellspacing="0" cellpadding="0" border="0" style="margin:24px 0;border-collapse:separate"><tr>
<td class="fill" style="border:1px solid ${line};border-radius:10px;background:${fill}"><a class="button" href="${escaped(href)}" style="display:inline-block;padding:12px 22px;color:${onFill};font:600 16px/1.25 ${FONT};text-decoration:none">${escaped(label)}</a></td>
</tr></table>`

const linkHtml = ({ href, label }: Link, margin: string) =>
  `<p style="margin:${margin}"><a class="link" href="${escaped(href)}" style="color:inherit;font-weight:600">${escaped(label)}</a></p>`

function detailsHtml(details: { label: string; value: string }[]): string {
  const rows = details.map(
    ({ label, value }) =>
      `<tr><th class="address" scope="row" align="left" style="padding:2px 16px 2px 0;vertical-align:top;white-space:nowrap;font-weight:400;color:#5d5e67">${escaped(label)}</th><td style="padding:2px 0;font-weight:600">${escaped(value)}</td></tr>`,
  )
  return `<table class="details" cellspacing="0" cellpadding="0" border="0" style="margin:0 0 16px;border-collapse:separate;font-size:15px">
${rows.join('\n')}
</table>`
}
