/**
 * The words for people, in pages, emails and the console: application, organization, member, user, "your
 * profile" (the table is in docs/README.md). The API's `system` and `account`, and other names of them, are
 * words of its documentation only.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES, readTexts, type Texts } from '../../placeholders.ts'
import { emailsIn } from '../../test/support/sample-emails.ts'
import { samplePages } from '../../test/support/sample-pages.ts'
import { CATALOGS, LANGUAGE_TAGS, type Locale } from './texts.ts'

/**
 * Account, tenant, system, client, rotate and renew, and "nobody" as a subject. A German word is also found
 * as a part of another one.
 */
const WRONG: Record<Locale, RegExp> = {
  en: /\b(accounts?|tenant\w*|systems?|clients?|rotat\w+|renew\w*|nobody|no one)\b/gi,
  de: /konto|konten|\baccounts?\b|mandant|tenant|system|client|rotier|rotation|erneuer|\bniemand\b/gi,
  es: /\b(cuentas?|inquilin\w+|tenant\w*|sistemas?|clientes?|rota\w*|rotación|renov\w+|(?<!con )nadie)\b/giu,
  fr: /\b(comptes?|locataires?|tenant\w*|systèmes?|clients?|rotation|renouvel\w+|personne (ne\b|n’|d’autre))/giu,
  ja: /アカウント|テナント|tenantry|システム|クライアント|ローテーション|誰も/gi,
  pt: /\b(contas?|inquilin\w+|tenant\w*|sistemas?|clientes?|rotac\w+|rotaç\w+|renov\w+|(?<!com )ninguém)\b/giu,
}

/** Service accounts have no other name, and the parameters of OAuth are called as in its specification. */
const NAMES: Record<Locale, RegExp> = {
  en: /service accounts?|client (ID|secret|credentials)/gi,
  de: /Dienstkont(o|en)s?|Client[- ](ID|Secret|Credentials)/gi,
  es: /cuentas? de servicio|client (ID|secret|credentials)|ID de cliente|credenciales de cliente/gi,
  fr: /comptes? de service|client (ID|secret|credentials)|ID client/gi,
  ja: /サービスアカウント|クライアント ID|クライアントクレデンシャル/g,
  pt: /contas? de serviço|client (ID|secret|credentials)|ID do cliente|credenciais de cliente/gi,
}

const OTHER_SERVICE = 'the account of the user at another service, such as Google'
/** They name menus of other services. */
const MENUS = /^connectionSteps\./
const CUSTOMER = 'Spanish, French and Portuguese have one word for customer and client'
const EXCEPTIONS: Record<string, string> = {
  'errors.conflictTitle': OTHER_SERVICE,
  'errors.conflictLead': OTHER_SERVICE,
  'errors.conflictNext': OTHER_SERVICE,
  'profile.linkLead': OTHER_SERVICE,
  'profile.linkLeadNameless': OTHER_SERVICE,
  'profile.linkTaken': OTHER_SERVICE,
  'profile.linkedAlready': OTHER_SERVICE,
  'accounts.lead': CUSTOMER,
  'accounts.emptyLead': CUSTOMER,
}

/** Placeholders, parameters such as `account_id`, and paths are no words. */
const wrongIn = (text: string, language: Locale): string[] =>
  text
    .replace(/\{\w+\}|\w+_\w+|\/[\w/-]+/g, '')
    .replace(NAMES[language], '')
    .match(WRONG[language]) ?? []

const textsIn = (texts: Texts, at = ''): [path: string, text: string][] =>
  Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${at}${key}`, value] as const] : textsIn(value, `${at}${key}.`),
  ) as [string, string][]

test('no text for people says account, tenant, system, client, rotate or nobody, in any language', () => {
  for (const { folder } of LOCALES)
    for (const language of Object.keys(CATALOGS) as Locale[]) {
      const found = textsIn(readTexts(folder, language)).flatMap(([path, text]) =>
        path in EXCEPTIONS || MENUS.test(path)
          ? []
          : wrongIn(text, language).map((word) => `${path}: ${word} in “${text}”`),
      )
      assert.deepEqual(found, [], `${folder}: ${language}`)
    }
})

test('a wrong word is found in each language, and the names of things are none', () => {
  const wrong: Record<Locale, string> = {
    en: 'Choose an account',
    de: 'Ihre Kontoeinstellungen',
    es: 'Nadie puede entrar',
    fr: 'Vos comptes',
    ja: 'アカウントを作成',
    pt: 'Crie sua conta',
  }
  for (const [language, text] of Object.entries(wrong))
    assert.equal(wrongIn(text, language as Locale).length, 1)
  assert.deepEqual(wrongIn('The client ID of a service account of {account}, account_id, /account', 'en'), [])
})

test('no email has a wrong word that is not from a catalogue, nor the name of this software', () => {
  const emails = (Object.keys(CATALOGS) as Locale[]).flatMap((language) =>
    emailsIn(LANGUAGE_TAGS[language]).map(([name, message]) => ({ language, name, message })),
  )
  assert.ok(emails.length > 100, `${emails.length}`)
  const found = emails.flatMap(({ language, name, message: { subject, text, html } }) =>
    [subject, text, html]
      .map((part) => part.replace(/https?:\S+|<(style)\b.*?<\/\1>|<[^>]*>/gs, ' '))
      .flatMap((part) => [...wrongIn(part, language), ...(part.match(/tenantry/gi) ?? [])])
      .map((word) => `${language} ${name}: ${word}`),
  )
  assert.deepEqual(found, [])
})

test('no page has a wrong word that is not from a catalogue', () => {
  const languages = new Map(Object.entries(LANGUAGE_TAGS).map(([language, tag]) => [tag, language as Locale]))
  const found = Object.entries(samplePages).flatMap(([name, { html }]) => {
    const language = languages.get(/<html lang="([\w-]+)"/.exec(html)?.[1] ?? '')
    assert.ok(language, name)
    // The details of an error are for those who operate the application; steps name menus of another service.
    const shown = html.replace(/<(script|style|dl)\b.*?<\/\1>|<ol class="menus">.*?<\/ol>|<[^>]*>/gs, ' ')
    return wrongIn(shown, language).map((word) => `${name}: ${word}`)
  })
  const withExceptions = /^(settings-link|error-conflict)/
  assert.deepEqual(
    found.filter((each) => !withExceptions.test(each)),
    [],
  )
})
