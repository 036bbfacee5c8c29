/**
 * What a person reads, in text and in HTML, in the language of the user. Names that others chose come in on one line
 * and escaped: they can't add a header, a paragraph or a link.
 */
import type { Letter } from './send.ts'

/** 3 days, in seconds: news of a change is worth telling that long. */
const NEWS_LIFE = 259_200

/** A subject has a second form, `…For`, that names the system for which an administrator acts. */
const en = {
  passwordChanged: 'Your password was changed',
  passwordChangedFor: 'Your password for {system} was changed',
  byAdministrator: 'An administrator has changed the password of {email}, and you have been signed out everywhere.',
  byLink: 'The password of {email} was changed by a link that was sent to this address, and you have been signed out everywhere.',
  atSignIn: 'The password of {email} was changed when you signed in. You have been signed out everywhere else.',
  onOwnPages: 'The password of {email} was changed on your own pages. You have been signed out everywhere else.',
  passwordReset: 'Your password was reset',
  passwordResetFor: 'Your password for {system} was reset',
  resetByAdministrator:
    'An administrator has reset the password of {email}, and you have been signed out everywhere. They have a temporary password for you; when you sign in with it, you choose a new one.',
  notExpected: 'If you did not expect this, please tell your administrator at once.',
  resetLink: 'Choose a new password',
  resetLinkFor: 'Choose a new password for {system}',
  resetLinkLead: 'With this link you choose a new password for {email}. It is good for 30 minutes, and once.',
  resetLinkAction: 'Choose a new password',
  resetLinkNotAsked: 'If you did not ask for it, leave it alone: your password stays as it is.',
  verification: 'Confirm your e-mail address',
  verificationFor: 'Confirm your e-mail address for {system}',
  verificationLead: 'With this link you confirm that {email} is your address. It is good for 24 hours, and once.',
  verificationAction: 'Confirm the address',
  verificationNotAsked: 'If you do not know what this is about, leave it alone: somebody mistyped their own address.',
  registrationLead:
    'An account for {system} was created with {email}. Confirm it with this link. It is good for 24 hours, and once.',
  registrationAction: 'Confirm the account',
  registrationNotAsked: 'If you did not create it, do not confirm it: whoever did could then use it in your name.',
  accountExists: 'You already have an account',
  accountExistsFor: 'You already have an account for {system}',
  accountExistsLead:
    'Somebody wanted to create an account for {system} with {email}, and you have one: sign in with its password. If you have forgotten it, choose a new one with this link. It is good for 30 minutes, and once.',
  accountExistsNotAsked: 'If that was not you, leave it alone: nothing has changed.',
  mfaRemoved: 'Your second step was removed',
  mfaRemovedFor: 'Your second step for {system} was removed',
  mfaRemovedLead:
    'An administrator has removed the authenticator apps, passkeys and recovery codes of {email}, and you have been signed out everywhere.',
  identityAdded: 'A way to sign in was added',
  identityAddedFor: 'A way to sign in to {system} was added',
  identityAddedLead: '{email} can be signed in with {provider} from now on.',
  identityRemoved: 'A way to sign in was removed',
  identityRemovedFor: 'A way to sign in to {system} was removed',
  identityRemovedLead: 'An administrator has removed the sign-in with {provider} from {email}.',
  mailedCode: 'Your code to sign in',
  mailedCodeFor: 'Your code to sign in to {system}',
  mailedCodeLead: 'To sign in as {email}, type this code where you have begun. It is good for 10 minutes, and once.',
  mailedCodeNotAsked: 'If that is not you, give the code to nobody and change your password.',
  totpAdded: 'An authenticator app was added',
  totpAddedFor: 'An authenticator app was added for {system}',
  totpAddedLead: 'Whoever signs in as {email} is now asked for a code of this app.',
  passkeyAdded: 'A passkey was added',
  passkeyAddedFor: 'A passkey was added for {system}',
  passkeyAddedLead: 'A passkey was added to {email}. It opens the account without a password.',
  totpRemoved: 'Your authenticator app was removed',
  totpRemovedFor: 'Your authenticator app for {system} was removed',
  totpRemovedLead: 'The authenticator app of {email} was removed.',
  passkeyRemoved: 'A passkey was removed',
  passkeyRemovedFor: 'A passkey for {system} was removed',
  passkeyRemovedLead: 'A passkey of {email} was removed.',
  recoveryCodeUsed: 'A recovery code was used',
  recoveryCodeUsedFor: 'A recovery code was used to sign in to {system}',
  recoveryCodeUsedLead:
    'Somebody signed in as {email} with a recovery code, in the place of the second step. Codes that are left: {left}.',
  notYou: 'If that was not you, change your password at once and tell your administrator.',
}
type Texts = typeof en

const pt: Texts = {
  passwordChanged: 'Sua senha foi alterada',
  passwordChangedFor: 'Sua senha de {system} foi alterada',
  byAdministrator: 'Um administrador alterou a senha de {email}, e todas as suas sessões foram encerradas.',
  byLink: 'A senha de {email} foi alterada por um link enviado a este endereço, e todas as suas sessões foram encerradas.',
  atSignIn: 'A senha de {email} foi alterada quando você entrou. Todas as suas outras sessões foram encerradas.',
  onOwnPages: 'A senha de {email} foi alterada nas suas próprias páginas. Você saiu de todos os outros lugares.',
  passwordReset: 'Sua senha foi redefinida',
  passwordResetFor: 'Sua senha de {system} foi redefinida',
  resetByAdministrator:
    'Um administrador redefiniu a senha de {email}, e todas as suas sessões foram encerradas. Ele tem uma senha temporária para você; ao entrar com ela, você escolhe uma nova.',
  notExpected: 'Se você não esperava por isso, avise o seu administrador imediatamente.',
  resetLink: 'Escolha uma nova senha',
  resetLinkFor: 'Escolha uma nova senha para {system}',
  resetLinkLead: 'Com este link você escolhe uma nova senha para {email}. Ele vale por 30 minutos e uma única vez.',
  resetLinkAction: 'Escolher uma nova senha',
  resetLinkNotAsked: 'Se você não pediu isso, ignore esta mensagem: sua senha continua a mesma.',
  verification: 'Confirme seu e-mail',
  verificationFor: 'Confirme seu e-mail para {system}',
  verificationLead: 'Com este link você confirma que {email} é o seu endereço. Ele vale por 24 horas e uma única vez.',
  verificationAction: 'Confirmar o endereço',
  verificationNotAsked: 'Se você não sabe do que se trata, ignore esta mensagem: alguém digitou o próprio endereço errado.',
  registrationLead:
    'Uma conta para {system} foi criada com {email}. Confirme a conta com este link. Ele vale por 24 horas e uma única vez.',
  registrationAction: 'Confirmar a conta',
  registrationNotAsked: 'Se não foi você quem a criou, não confirme: quem a criou poderia usá-la em seu nome.',
  accountExists: 'Você já tem uma conta',
  accountExistsFor: 'Você já tem uma conta para {system}',
  accountExistsLead:
    'Alguém quis criar uma conta para {system} com {email}, e você já tem uma: entre com a senha dela. Se você a esqueceu, escolha uma nova com este link. Ele vale por 30 minutos e uma única vez.',
  accountExistsNotAsked: 'Se não foi você, ignore esta mensagem: nada mudou.',
  mfaRemoved: 'Sua segunda etapa foi removida',
  mfaRemovedFor: 'Sua segunda etapa de {system} foi removida',
  mfaRemovedLead:
    'Um administrador removeu os aplicativos autenticadores, as chaves de acesso e os códigos de recuperação de {email}, e todas as suas sessões foram encerradas.',
  identityAdded: 'Uma forma de entrar foi adicionada',
  identityAddedFor: 'Uma forma de entrar em {system} foi adicionada',
  identityAddedLead: 'A partir de agora, também se entra como {email} por {provider}.',
  identityRemoved: 'Uma forma de entrar foi removida',
  identityRemovedFor: 'Uma forma de entrar em {system} foi removida',
  identityRemovedLead: 'Um administrador removeu o acesso de {email} por {provider}.',
  mailedCode: 'Seu código para entrar',
  mailedCodeFor: 'Seu código para entrar em {system}',
  mailedCodeLead: 'Para entrar como {email}, digite este código onde você começou. Ele vale por 10 minutos e uma única vez.',
  mailedCodeNotAsked: 'Se não é você, não passe o código a ninguém e troque a sua senha.',
  totpAdded: 'Um aplicativo autenticador foi adicionado',
  totpAddedFor: 'Um aplicativo autenticador foi adicionado para {system}',
  totpAddedLead: 'Quem entra como {email} agora precisa de um código desse aplicativo.',
  passkeyAdded: 'Uma chave de acesso foi adicionada',
  passkeyAddedFor: 'Uma chave de acesso foi adicionada para {system}',
  passkeyAddedLead: 'Uma chave de acesso foi adicionada a {email}. Ela abre a conta sem senha.',
  totpRemoved: 'Seu aplicativo autenticador foi removido',
  totpRemovedFor: 'Seu aplicativo autenticador de {system} foi removido',
  totpRemovedLead: 'O aplicativo autenticador de {email} foi removido.',
  passkeyRemoved: 'Uma chave de acesso foi removida',
  passkeyRemovedFor: 'Uma chave de acesso de {system} foi removida',
  passkeyRemovedLead: 'Uma chave de acesso de {email} foi removida.',
  recoveryCodeUsed: 'Um código de recuperação foi usado',
  recoveryCodeUsedFor: 'Um código de recuperação foi usado para entrar em {system}',
  recoveryCodeUsedLead:
    'Alguém entrou como {email} com um código de recuperação, no lugar da segunda etapa. Códigos que restam: {left}.',
  notYou: 'Se não foi você, troque a sua senha imediatamente e avise o seu administrador.',
}

const es: Texts = {
  passwordChanged: 'Se ha cambiado tu contraseña',
  passwordChangedFor: 'Se ha cambiado tu contraseña de {system}',
  byAdministrator: 'Un administrador ha cambiado la contraseña de {email} y se han cerrado todas tus sesiones.',
  byLink: 'La contraseña de {email} se ha cambiado con un enlace enviado a esta dirección y se han cerrado todas tus sesiones.',
  atSignIn: 'La contraseña de {email} se ha cambiado al iniciar sesión. Se han cerrado todas tus demás sesiones.',
  onOwnPages: 'La contraseña de {email} se ha cambiado en tus propias páginas. Se ha cerrado tu sesión en los demás lugares.',
  passwordReset: 'Se ha restablecido tu contraseña',
  passwordResetFor: 'Se ha restablecido tu contraseña de {system}',
  resetByAdministrator:
    'Un administrador ha restablecido la contraseña de {email} y se han cerrado todas tus sesiones. Tiene una contraseña temporal para ti; al entrar con ella, eliges una nueva.',
  notExpected: 'Si no lo esperabas, avisa a tu administrador de inmediato.',
  resetLink: 'Elige una contraseña nueva',
  resetLinkFor: 'Elige una contraseña nueva para {system}',
  resetLinkLead: 'Con este enlace eliges una contraseña nueva para {email}. Vale durante 30 minutos y una sola vez.',
  resetLinkAction: 'Elegir una contraseña nueva',
  resetLinkNotAsked: 'Si no lo has pedido, no hagas nada: tu contraseña sigue siendo la misma.',
  verification: 'Confirma tu correo electrónico',
  verificationFor: 'Confirma tu correo electrónico para {system}',
  verificationLead: 'Con este enlace confirmas que {email} es tu dirección. Vale durante 24 horas y una sola vez.',
  verificationAction: 'Confirmar la dirección',
  verificationNotAsked: 'Si no sabes de qué se trata, no hagas nada: alguien se equivocó al escribir su propia dirección.',
  registrationLead:
    'Se ha creado una cuenta para {system} con {email}. Confírmala con este enlace. Vale durante 24 horas y una sola vez.',
  registrationAction: 'Confirmar la cuenta',
  registrationNotAsked: 'Si no la has creado tú, no la confirmes: quien la creó podría usarla en tu nombre.',
  accountExists: 'Ya tienes una cuenta',
  accountExistsFor: 'Ya tienes una cuenta para {system}',
  accountExistsLead:
    'Alguien ha querido crear una cuenta para {system} con {email}, y ya tienes una: entra con su contraseña. Si la has olvidado, elige una nueva con este enlace. Vale durante 30 minutos y una sola vez.',
  accountExistsNotAsked: 'Si no has sido tú, no hagas nada: no ha cambiado nada.',
  mfaRemoved: 'Se ha quitado tu segundo paso',
  mfaRemovedFor: 'Se ha quitado tu segundo paso de {system}',
  mfaRemovedLead:
    'Un administrador ha quitado las aplicaciones de autenticación, las llaves de acceso y los códigos de recuperación de {email}, y se han cerrado todas tus sesiones.',
  identityAdded: 'Se ha añadido una forma de entrar',
  identityAddedFor: 'Se ha añadido una forma de entrar en {system}',
  identityAddedLead: 'Desde ahora también se entra como {email} con {provider}.',
  identityRemoved: 'Se ha quitado una forma de entrar',
  identityRemovedFor: 'Se ha quitado una forma de entrar en {system}',
  identityRemovedLead: 'Un administrador ha quitado el acceso de {email} con {provider}.',
  mailedCode: 'Tu código para entrar',
  mailedCodeFor: 'Tu código para entrar en {system}',
  mailedCodeLead: 'Para entrar como {email}, escribe este código donde has empezado. Vale durante 10 minutos y una sola vez.',
  mailedCodeNotAsked: 'Si no eres tú, no des el código a nadie y cambia tu contraseña.',
  totpAdded: 'Se ha añadido una aplicación de autenticación',
  totpAddedFor: 'Se ha añadido una aplicación de autenticación para {system}',
  totpAddedLead: 'A quien entra como {email} se le pide ahora un código de esa aplicación.',
  passkeyAdded: 'Se ha añadido una llave de acceso',
  passkeyAddedFor: 'Se ha añadido una llave de acceso para {system}',
  passkeyAddedLead: 'Se ha añadido una llave de acceso a {email}. Abre la cuenta sin contraseña.',
  totpRemoved: 'Se ha quitado tu aplicación de autenticación',
  totpRemovedFor: 'Se ha quitado tu aplicación de autenticación de {system}',
  totpRemovedLead: 'Se ha quitado la aplicación de autenticación de {email}.',
  passkeyRemoved: 'Se ha quitado una llave de acceso',
  passkeyRemovedFor: 'Se ha quitado una llave de acceso de {system}',
  passkeyRemovedLead: 'Se ha quitado una llave de acceso de {email}.',
  recoveryCodeUsed: 'Se ha usado un código de recuperación',
  recoveryCodeUsedFor: 'Se ha usado un código de recuperación para entrar en {system}',
  recoveryCodeUsedLead:
    'Alguien ha entrado como {email} con un código de recuperación, en lugar del segundo paso. Códigos que quedan: {left}.',
  notYou: 'Si no has sido tú, cambia tu contraseña de inmediato y avisa a tu administrador.',
}

export const TEXTS = { en, pt, es }
type Language = keyof typeof TEXTS

/** By the first part of a BCP 47 tag; English when it is none of ours. */
function languageOf(locale: string | null): Language {
  const language = locale?.toLowerCase().split(/[-_]/)[0] ?? ''
  return Object.hasOwn(TEXTS, language) ? (language as Language) : 'en'
}

export type Reader = { id: string; email: string; locale: string | null }
/** The name of the system for which an administrator acts, if any. */
type System = string | undefined

/** To a user whose password was changed: by an administrator, by a mailed link, or by themselves at a sign-in. */
export const passwordChanged = (
  reader: Reader,
  by: Extract<keyof Texts, 'byAdministrator' | 'byLink' | 'atSignIn' | 'onOwnPages'>,
  system?: System,
): Letter => news(reader, 'password_changed', 'passwordChanged', by, system)

export const passwordReset = (reader: Reader, system: System): Letter =>
  news(reader, 'password_reset_by_admin', 'passwordReset', 'resetByAdministrator', system)

export const mfaRemoved = (reader: Reader, system: System): Letter =>
  news(reader, 'mfa_removed', 'mfaRemoved', 'mfaRemovedLead', system)

/** `provider`: by its name. */
export const identityAdded = (reader: Reader, system: System, provider: string): Letter =>
  news(reader, 'identity_added', 'identityAdded', 'identityAddedLead', system, { provider }, 'notYou')

export const identityRemoved = (reader: Reader, system: System, provider: string): Letter =>
  news(reader, 'identity_removed', 'identityRemoved', 'identityRemovedLead', system, { provider })

/** `life` is the link's own, in seconds: later there is nothing to send. */
export const passwordResetLink = (reader: Reader, system: System, href: string, life: number): Letter =>
  compose(reader, { kind: 'password_reset', subject: 'resetLink', system, expiresIn: life }, [
    'resetLinkLead',
    { href, label: 'resetLinkAction' },
    'resetLinkNotAsked',
  ])

export const verificationLink = (reader: Reader, system: System, href: string, life: number): Letter =>
  compose(reader, { kind: 'email_verification', subject: 'verification', system, expiresIn: life }, [
    'verificationLead',
    { href, label: 'verificationAction' },
    'verificationNotAsked',
  ])

/** To who has just registered. */
export const registrationLink = (reader: Reader, system: System, href: string, life: number): Letter =>
  compose(reader, { kind: 'email_verification', subject: 'verification', system, expiresIn: life }, [
    'registrationLead',
    { href, label: 'registrationAction' },
    'registrationNotAsked',
  ])

/** To who has an account, when somebody registers with the address. */
export const accountExists = (reader: Reader, system: System, href: string, life: number): Letter =>
  compose(reader, { kind: 'account_exists', subject: 'accountExists', system, expiresIn: life }, [
    'accountExistsLead',
    { href, label: 'resetLinkAction' },
    'accountExistsNotAsked',
  ])

/** `life` is the code's own, in seconds. */
export const codeLetter = (reader: Reader, system: System, code: string, life: number): Letter =>
  compose(reader, { kind: 'mailed_code', subject: 'mailedCode', system, expiresIn: life }, [
    'mailedCodeLead',
    { code },
    'mailedCodeNotAsked',
  ])

export const factorAdded = (reader: Reader, kind: 'totp' | 'passkey', system: System): Letter =>
  news(reader, 'factor_added', `${kind}Added`, `${kind}AddedLead`, system, {}, 'notYou')

export const factorRemoved = (reader: Reader, kind: 'totp' | 'passkey', system?: System): Letter =>
  news(reader, 'factor_removed', `${kind}Removed`, `${kind}RemovedLead`, system, {}, 'notYou')

export const recoveryCodeUsed = (reader: Reader, system: System, left: number): Letter =>
  news(reader, 'recovery_code_used', 'recoveryCodeUsed', 'recoveryCodeUsedLead', system, { left: String(left) }, 'notYou')

type Subject = { [Key in keyof Texts]: `${Key}For` extends keyof Texts ? Key : never }[keyof Texts]
type Part = keyof Texts | { href: string; label: keyof Texts } | { code: string }
type About = { kind: string; subject: Subject; system: System; expiresIn: number; values?: Record<string, string> | undefined }

const news = (
  reader: Reader,
  kind: string,
  subject: Subject,
  lead: keyof Texts,
  system: System,
  values?: Record<string, string>,
  advice: keyof Texts = 'notExpected',
): Letter => compose(reader, { kind, subject, system, expiresIn: NEWS_LIFE, values }, [lead, advice])

function compose({ id, email, locale }: Reader, { kind, subject, system, expiresIn, values }: About, parts: Part[]): Letter {
  const language = languageOf(locale)
  const texts = TEXTS[language]
  const say = (key: keyof Texts) => fill(texts[key], { ...values, email, system: system ?? '' })
  const title = say(system === undefined ? subject : (`${subject}For` as const))
  const lines = parts.map((part) => (typeof part === 'string' ? say(part) : 'code' in part ? part.code : part.href))
  const blocks = parts.map((part) => {
    if (typeof part === 'string') return paragraph(say(part))
    return 'code' in part ? bigCode(part.code) : button(part.href, say(part.label))
  })
  const content = { subject: title, text: `${[title, ...lines].join('\n\n')}\n`, html: page(language, title, blocks) }
  return { kind, recipient: email, userId: id, expiresIn, ...content }
}

/** Control characters, line ends, and what turns the direction of writing. */
const UNRULY = /[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu

const fill = (text: string, values: Record<string, string>) =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => (values[name] ?? '').replace(UNRULY, ' '))

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const paragraph = (text: string) => `<p style="margin:0 0 16px">${escaped(text)}</p>`

const bigCode = (code: string) =>
  `<p style="margin:24px 0;font:600 32px/1.25 ui-monospace,Menlo,Consolas,monospace;letter-spacing:0.15em">${escaped(code)}</p>`

/** The address stands below it too, for who reads where a button does not work. */
const button = (href: string, label: string) =>
  `<p style="margin:24px 0 16px"><a class="button" href="${escaped(href)}" style="display:inline-block;padding:12px 20px;border-radius:10px;background:#1c1c21;color:#ffffff;font-weight:600;text-decoration:none">${escaped(label)}</a></p>
<p style="margin:0 0 24px;font-size:13px"><a class="address" href="${escaped(href)}" style="color:#5d5e67">${escaped(href)}</a></p>`

/** Styles stand in the elements because mail programs drop stylesheets; who keeps them gets the dark colours as well. */
function page(language: Language, title: string, blocks: string[]): string {
  const body = blocks.join('\n')
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
  .button { background: #ededf0 !important; color: #17171a !important }
  .address { color: #a5a6b1 !important }
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
