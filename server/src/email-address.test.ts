import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainToASCII } from 'node:url'
import { storedAddress } from './email-address.ts'

test('the stored form has NFC, lower-case ASCII letters, A-labels, no trailing dot, and the plus tag', () => {
  const forms = {
    'ALICE+Tag@X.Example': 'alice+tag@x.example',
    'alice@x.example.': 'alice@x.example',
    'alice@bücher.example': 'alice@xn--bcher-kva.example',
    'alice@bu\u0308cher.example': 'alice@xn--bcher-kva.example',
    'alice@XN--BCHER-KVA.example': 'alice@xn--bcher-kva.example',
    'alice@faß.example': 'alice@xn--fa-hia.example',
    'jose\u0301@x.example': 'josé@x.example',
    'JOSÉ@x.example': 'josÉ@x.example', // another mailbox than josé@, by ASCII rules
    'alİce@x.example': 'alİce@x.example',
    'admin@localhost': 'admin@localhost',
  }
  for (const [typed, stored] of Object.entries(forms)) assert.equal(storedAddress(typed), stored, typed)
})

test('a domain with characters that are mapped to others is refused', () => {
  const domains = [
    'ｘ.example',
    'İx.example',
    'BÜCHER.example',
    'x。example',
    '\u212A.example',
    'x\u00AD.example',
  ]
  const odd = [
    'xn--a.example',
    'xn--abc-.example',
    '127.1',
    '0x7f',
    'x..example',
    'x.example..',
    '%78.example',
  ]
  for (const domain of [...domains, ...odd, 'x/y.example', '.', 'x y.example'])
    assert.equal(storedAddress(`alice@${domain}`), undefined, domain)
  assert.equal(domainToASCII('ｘ.example'), 'x.example') // the library alone accepts it
})

test('invisible, control, format and bidirectional characters and overlong parts are refused', () => {
  for (const character of '\0\t\n\u007F\u00A0\u00AD\u034F\u061C\u115F\u200B\u200E\u202E\u2028\u2066\u212A\uE000\uFE0F\uFEFF\uD800')
    assert.equal(storedAddress(`al${character}ice@x.example`), undefined, escape(character))
  assert.equal(storedAddress(`${'é'.repeat(64)}@x.example`), `${'é'.repeat(64)}@x.example`)
  assert.equal(storedAddress(`${'a'.repeat(65)}@x.example`), undefined)
  assert.equal(storedAddress(`a@${'b'.repeat(64)}.example`), undefined)
  assert.equal(storedAddress(`a@${`${'ü'.repeat(20)}.`.repeat(11)}example`), undefined) // too long as A-labels
})

/** Characters that make trouble, among ordinary ones. */
const LETTERS = [
  ...'abzABZ019.-_+@@@',
  ...['ü', 'u\u0308', 'ß', 'ẞ', 'ς', 'Σ', 'İ', 'ı', 'K', 'Å', '\u212B', 'é', 'e\u0301', 'ｘ', '。', '．'],
  ...[
    'xn--',
    'xn--bcher-kva',
    '\u200D',
    '\u202E',
    '\u00AD',
    '☃',
    '١',
    'א',
    'क्',
    '%61',
    ' ',
    '/',
    '\u0338',
    '≠',
  ],
  ...['x.example', '@x.example', '🙂', '\u1100\u1161', '가'],
]

test('the stored form of a stored form is the same, for 50,000 random texts', () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  let stored = 0
  for (let round = 0; round < 50_000; round++) {
    const text = Array.from({ length: 2 + random(8) }, () => LETTERS[random(LETTERS.length)]).join('')
    const address = storedAddress(text)
    if (address === undefined) continue
    stored++
    assert.equal(storedAddress(address), address, escape(text))
    assert.equal(storedAddress(text.normalize('NFD')), address, escape(text))
    assert.doesNotMatch(address, /[A-Z\s]|@.*[^\x21-\x7E]/)
  }
  assert.ok(stored > 1_000, String(stored))
})
