/** What the console names one by one, compared with the server: audited actions, emails, refusals. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { MAIL_KINDS } from '../src/parts/mail/kinds.ts'
import { en } from '../src/texts/texts.ts'

const SERVER = join(import.meta.dirname, '../../server/src')
/** `noun.verb`, as in `membership.roles_changed`, but not as the key of an object: attributes of a trace. */
const NAMES = /'([a-z]+(?:_[a-z]+)*\.[a-z]+(?:_[a-z]+)*)'(?!:)/g
/** Such names that are no actions: files, hosts, columns, events of the protocol library, types of events. */
const OTHERS =
  /\.(js|css|json|html|com|co|org|example|error|success)$|^m\.(id|time|sso_exempt_by)$|^webhook\.test$|^user\.access_|^service_account\.(en|dis)abled$/

/** The actions of `action: \`membership.${…}\``, in so many places. */
const COMPOSED = ['granted', 'restored', 'blocked', 'deleted', 'left', 'roles_changed', 'profiles_changed']
const COMPOSED_IN = 3

/** Every name of this form in the server, except in its pages, tests and documentation. */
function recordedActions(): string[] {
  const found = new Set(COMPOSED.map((verb) => `membership.${verb}`))
  let composed = 0
  for (const file of globSync('**/*.ts', { cwd: SERVER, exclude: ['ui/**', '**/*.test.ts', '**/docs.ts'] })) {
    const source = readFileSync(join(SERVER, file), 'utf8')
    for (const [, name] of source.matchAll(NAMES)) if (!OTHERS.test(name!)) found.add(name!)
    composed += source.match(/action: `[a-z_]+\.\$\{/g)?.length ?? 0
  }
  assert.equal(composed, COMPOSED_IN, 'COMPOSED has the actions of each')
  return [...found].sort()
}

/** The other languages have the same texts (server/src/texts/locales.test.ts). */
test('every action that the server records has a sentence, and a group in the filter', () => {
  const actions = recordedActions()
  const { sentences, nouns } = en.audit
  const missing = actions.filter((action) => !(action in sentences) || !(action.split('.')[0]! in nouns))

  assert.ok(actions.length > 75, `${actions.length} actions`)
  assert.deepEqual(missing, [])
})

test('the filter of the email queue has every kind of email', () => {
  const files = ['jobs/email/messages.ts', 'jobs/email/admin-messages.ts']
  const source = files.map((file) => readFileSync(join(SERVER, file), 'utf8')).join('\n')
  const kinds = [...source.matchAll(/\bkind: '([a-z_]+)',/g)].map(([, kind]) => kind!)

  assert.deepEqual([...new Set(kinds)].sort(), MAIL_KINDS)
  assert.deepEqual(Object.keys(en.emailTexts.kinds).sort(), MAIL_KINDS)
})

test('the log of a connection has the sentences of the pages of organizations', () => {
  const pages = JSON.parse(readFileSync(join(SERVER, '../locales/en.json'), 'utf8'))

  assert.deepEqual(en.connections.refusals, pages.connectionRefusals)
})
