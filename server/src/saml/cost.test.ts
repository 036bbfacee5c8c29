/** What a document costs that no key of the connection has signed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSamlKey, type SamlKey } from '../../test/support/saml-keys.ts'
import { samlField, samlResponse } from '../../test/support/saml-provider.ts'
import { GENERIC_SHAPE } from '../../test/support/saml-shapes.ts'
import { readCertificates } from './certificates.ts'
import { readResponse } from './response.ts'

const own = Array.from({ length: 5 }, () => newSamlKey())
const keys = readCertificates(own.map(({ pem }) => pem))
if (!Array.isArray(keys)) throw new Error(keys.fault)

const many = (count: number, each: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => each(at)).join('')
const withGroups = (key: SamlKey, count: number) => {
  const groups = Array.from(
    { length: count },
    (_, at) => `00000000-0000-4000-8000-${`${at}`.padStart(12, '0')}`,
  )
  return samlResponse({ ...GENERIC_SHAPE, signs: 'both', attributes: { groups } }, key)
}

/** Both elements signed, by a stranger, and as large as each limit allows. */
const [small, largest] = [withGroups(newSamlKey(), 3), withGroups(own[4]!, 1_000)]
const inside = (text: string) => small.replace('<saml:AttributeStatement>', `$&${text}`)
const after = (tag: string, text: string) => small.replaceAll(tag, `$&${text}`)
const DOCUMENTS = {
  groups: withGroups(newSamlKey(), 1_000),
  attributes: inside(`<a${many(29, (at) => ` a${at}="${'&amp;'.repeat(7)}"`)}/>`.repeat(130)),
  'tags with text': inside(`<a>${'x'.repeat(50)}</a>`.repeat(1_900)),
  'tags with attributes': inside('<a b="&#65;" c="xxxxxxxx"/>'.repeat(1_900)),
  'texts between tags': inside('<a/>x'.repeat(3_800)),
  names: inside(many(60, (at) => `<n${at}></n${at}>`).repeat(30)),
  'names searched for': inside(`${many(60, (at) => `<n${at}></n${at}>`)}<z>${'x'.repeat(180_000)}</z>`),
  prefixes: inside('<a xmlns:p="urn:x"/>'.repeat(3_500)),
  'names of namespaces': inside(
    `<a>${many(30, (at) => `<a xmlns:p${at}="urn:${'x'.repeat(190)}"/>`)}</a>`.repeat(20),
  ),
  identifiers: inside(many(3_500, (at) => `<a ID="a${at}"/>`)),
  depth: inside(`${'<a>'.repeat(29)}${'</a>'.repeat(29)}`.repeat(65)),
  references: inside(`<a>${'&#65;'.repeat(36_000)}</a>`),
  'references in an attribute': inside(`<a b="${'&#65;'.repeat(36_000)}"/>`),
  entities: inside(`<a>${'&amp;'.repeat(36_000)}</a>`),
  'line ends': inside(`<a>${'\r\n'.repeat(92_000)}</a>`),
  'other line ends': inside(`<a>${'\u2028'.repeat(24_000)}</a>`),
  'spaces in a tag': inside(`<a b${' '.repeat(90_000)}=${' '.repeat(90_000)}"c"/>`),
  'spaces without an end': inside(`<a b${' '.repeat(180_000)}c`),
  'a name without an end': inside(`<a ${'a'.repeat(180_000)}`),
  brackets: '<'.repeat(190_000),
  digest: after('<ds:DigestValue>', 'A'.repeat(80_000)),
  value: after('<ds:SignatureValue>', 'A'.repeat(80_000)),
  KeyInfo: after('<ds:KeyInfo>', '<a/>'.repeat(1_900)),
  SignedInfo: small.replace('<ds:SignedInfo>', `<ds:SignedInfo Id="${'x'.repeat(170_000)}">`),
}

function timeOf(document: string): { time: number; code: string } {
  const field = samlField(document)
  const begun = performance.now()
  const reading = readResponse(field, keys as never, GENERIC_SHAPE)
  return { time: performance.now() - begun, code: 'code' in reading ? reading.code : 'accepted' }
}

test('no document that a stranger has signed costs as much as a genuine one with 1,000 groups', (t) => {
  const documents = Object.entries({ ...DOCUMENTS, largest })
  const best = new Map<string, number>()
  // In rounds, and the shortest of each: other work of the machine slows down all of them.
  for (let round = 0; round < 5; round++)
    for (const [name, document] of documents) {
      const { time, code } = timeOf(document)
      if (name === 'largest') assert.equal(code, 'accepted')
      else assert.match(code, /^saml_(signature|invalid)$/, name)
      best.set(name, Math.min(time, best.get(name) ?? time))
    }

  const limit = best.get('largest')!
  const slowest = [...best].filter(([name]) => name !== 'largest').sort(([, a], [, b]) => b - a)
  t.diagnostic(
    `genuine ${limit.toFixed(1)} ms, slowest other ${slowest[0]![1].toFixed(1)} ms (${slowest[0]![0]})`,
  )
  assert.deepEqual(
    slowest.filter(([, time]) => time >= limit),
    [],
  )
})
