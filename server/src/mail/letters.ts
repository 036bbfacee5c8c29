/**
 * What a person reads, in text and in HTML, in the language of the user. Names that others chose come in on one line
 * and escaped: they can't add a header, a paragraph or a link.
 */
import type { Letter } from './send.ts'

/** 3 days, in seconds: news of a change is worth telling that long. */
const NEWS_LIFE = 259_200

const en = {
  passwordChanged: 'Your password was changed',
  passwordChangedFor: 'Your password for {system} was changed',
  byAdministrator: 'An administrator has changed the password of {email}, and you have been signed out everywhere.',
  notExpected: 'If you did not expect this, please tell your administrator at once.',
}
type Texts = typeof en

const pt: Texts = {
  passwordChanged: 'Sua senha foi alterada',
  passwordChangedFor: 'Sua senha de {system} foi alterada',
  byAdministrator: 'Um administrador alterou a senha de {email}, e todas as suas sessões foram encerradas.',
  notExpected: 'Se você não esperava por isso, avise o seu administrador imediatamente.',
}

const es: Texts = {
  passwordChanged: 'Se ha cambiado tu contraseña',
  passwordChangedFor: 'Se ha cambiado tu contraseña de {system}',
  byAdministrator: 'Un administrador ha cambiado la contraseña de {email} y se han cerrado todas tus sesiones.',
  notExpected: 'Si no lo esperabas, avisa a tu administrador de inmediato.',
}

export const TEXTS = { en, pt, es }
type Language = keyof typeof TEXTS

/** By the first part of a BCP 47 tag; English when it is none of ours. */
function languageOf(locale: string | null): Language {
  const language = locale?.toLowerCase().split(/[-_]/)[0] ?? ''
  return Object.hasOwn(TEXTS, language) ? (language as Language) : 'en'
}

export type Reader = { id: string; email: string; locale: string | null }

/** To a user whose password an administrator has set. `system`: the name of the one the administrator acts for, if any. */
export function passwordChanged({ id, email, locale }: Reader, system: string | undefined): Letter {
  const language = languageOf(locale)
  const texts = TEXTS[language]
  const values = { email, system: system ?? '' }
  const subject = fill(system === undefined ? texts.passwordChanged : texts.passwordChangedFor, values)
  const paragraphs = [texts.byAdministrator, texts.notExpected].map((text) => fill(text, values))
  const content = { subject, text: `${[subject, ...paragraphs].join('\n\n')}\n`, html: page(language, subject, paragraphs) }
  return { kind: 'password_changed', recipient: email, userId: id, expiresIn: NEWS_LIFE, ...content }
}

/** Control characters, line ends, and what turns the direction of writing. */
const UNRULY = /[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu

const fill = (text: string, values: Record<string, string>) =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => (values[name] ?? '').replace(UNRULY, ' '))

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Styles stand in the elements because mail programs drop stylesheets; who keeps them gets the dark colours as well. */
function page(language: Language, title: string, paragraphs: string[]): string {
  const body = paragraphs.map((text) => `<p style="margin:0 0 16px">${escaped(text)}</p>`).join('\n')
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>
@media (prefers-color-scheme: dark) {
  .page { background: #101012 !important }
  .card { background: #18181c !important; border-color: #2e2e34 !important; color: #ededf0 !important }
}
</style>
</head>
<body class="page" style="margin:0;padding:32px 16px;background:#f6f6f8">
<div class="card" style="max-width:480px;margin:0 auto;padding:32px;box-sizing:border-box;background:#ffffff;border:1px solid #e4e4e9;border-radius:12px;color:#18181b;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;overflow-wrap:anywhere">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3;font-weight:600">${escaped(title)}</h1>
${body}
</div>
</body>
</html>
`
}
