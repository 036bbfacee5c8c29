/**
 * Genuine responses that are changed at random. The threat: a document whose signature is still valid, of
 * which something is read that nobody has signed. PROPERTY_RUNS=20000 is the deep run.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { newSamlKey } from '../../test/support/saml-keys.ts'
import { assertionOfShape, type SamlShape, samlField } from '../../test/support/saml-provider.ts'
import { GENERIC_SHAPE, samlSamples } from '../../test/support/saml-shapes.ts'
import { readCertificates } from './certificates.ts'
import { readResponse } from './response.ts'

const RUNS = Number(process.env.PROPERTY_RUNS ?? 400)

const key = newSamlKey()
const keys = readCertificates([key.pem])
if (!Array.isArray(keys)) throw new Error(keys.fault)

const read = (document: string, shape: SamlShape) => readResponse(samlField(document), keys as never, shape)
const samples = Object.values(samlSamples(key)).map((sample) => {
  const reading = read(sample.document, sample.shape)
  return 'code' in reading ? assert.fail(reading.message) : { ...sample, ...reading }
})

/** Tags and the texts between them. */
const tokensOf = (document: string) => document.match(/<[^>]*>|[^<]+/g) ?? []
const isStart = (token: string) => /^<[\w]/.test(token) && !token.endsWith('/>')

/** The tokens of the element that begins at a place, or the one token. */
function lengthAt(tokens: string[], at: number): number {
  let depth = 0
  for (let end = at; end < tokens.length; end++) {
    const token = tokens[end]!
    if (isStart(token)) depth++
    else if (token.startsWith('</')) depth--
    if (depth <= 0) return end - at + 1
  }
  return 1
}

const EVIL = assertionOfShape({ ...GENERIC_SHAPE, nameId: { value: 'eve@example.com' } }, '_assertion')
const INSERTED = [
  ...[
    '<!-- x -->',
    '<?x y?>',
    '<![CDATA[eve]]>',
    '&eve;',
    '&#x41;',
    ' ',
    '\r\n',
    '\t',
    '\u2028',
    'eve@example.com',
  ],
  ...['<a/>', '<a>', '</a>', EVIL, EVIL.replace('"_assertion"', '"_evil"'), '<!DOCTYPE a>', '&lt;', ']]>'],
]
const ATTRIBUTES = [
  ...[' ID="_assertion"', ' Id="_response"', ' xml:id="_assertion"', ' xmlns="urn:x"', ' xmlns:saml="urn:x"'],
  ...[
    ' xmlns:xs="urn:x"',
    ' xmlns:ds="urn:x"',
    ' xmlns:a="urn:x" a:ID="x"',
    ' Algorithm="x"',
    ' a="b"',
    ' a=b',
  ],
]

type Change = { kind: number; from: number; to: number; more: number }
type Act = (tokens: string[], change: Change) => void

/** The element at a place. */
const elementAt = (tokens: string[], from: number) => tokens.slice(from, from + lengthAt(tokens, from))
const inTag = (tokens: string[], from: number, change: (tag: string) => string): void => {
  const tags = tokens.flatMap((token, at) => (/^<\w/.test(token) ? [at] : []))
  const at = tags[from % Math.max(tags.length, 1)]
  if (at !== undefined) tokens[at] = change(tokens[at]!)
}
const ACTS: Act[] = [
  (tokens, { from }) => tokens.splice(from, 1),
  (tokens, { from }) => tokens.splice(from, lengthAt(tokens, from)),
  (tokens, { from, to }) => tokens.splice(to, 0, ...elementAt(tokens, from)),
  (tokens, { from, to }) => tokens.splice(to, 0, ...tokens.splice(from, lengthAt(tokens, from))),
  (tokens, { to, more }) => tokens.splice(to, 0, INSERTED[more % INSERTED.length]!),
  /** Of another genuine response. */
  (tokens, { from, to, more }) => {
    const others = tokensOf(samples[more % samples.length]!.document)
    tokens.splice(to, 0, ...elementAt(others, from % others.length))
  },
  (tokens, { from, more }) =>
    inTag(tokens, from, (tag) => tag.replace(/(?=\/?>$)/, ATTRIBUTES[more % ATTRIBUTES.length]!)),
  (tokens, { from, more }) =>
    inTag(tokens, from, (tag) => {
      const attributes = tag.match(/\s[\w:]+\s*=\s*(?:"[^"]*"|'[^']*')/g) ?? ['']
      return tag.replace(attributes[more % attributes.length]!, '')
    }),
  (tokens, { from, more }) =>
    inTag(tokens, from, (tag) => tag.replace(/"([^"']*)"/, more % 2 ? "'$1'" : '" $1"')),
  (tokens, { from, more }) =>
    inTag(tokens, from, (tag) => tag.replace(/<(\w+:)?/, ['<', '<saml:', '<ds:', '<a:'][more % 4]!)),
  /** One character. */
  (tokens, { from, more }) => {
    const token = tokens[from] ?? ''
    const at = more % Math.max(token.length, 1)
    tokens[from] = token.slice(0, at) + 'aZ0=/ "<>&'[more % 10]! + token.slice(at + 1)
  },
  (tokens, { from, to }) => {
    const [one, other] = [tokens[from] ?? '', tokens[to] ?? '']
    ;[tokens[from], tokens[to]] = [other, one]
  },
  /** What the canonical form does not have, or writes otherwise. */
  (tokens, { from }) => inTag(tokens, from, (tag) => tag.replace(/ /, '\n\t ')),
  (tokens, { from }) => inTag(tokens, from, (tag) => tag.replace(/(\/?>)$/, ' $1')),
  (tokens, { from }) => inTag(tokens, from, (tag) => tag.replace(/(\/?>)$/, ' xmlns:unused="urn:x"$1')),
]

function changed(document: string, changes: Change[]): string {
  const tokens = tokensOf(document)
  for (const { kind, from, to, more } of changes) {
    const within = (place: number) => place % Math.max(tokens.length, 1)
    ACTS[kind % ACTS.length]!(tokens, { kind, from: within(from), to: within(to), more })
  }
  return tokens.join('')
}

const place = fc.nat({ max: 10_000 })
const change = fc.record({ kind: place, from: place, to: place, more: place })

test('of changed responses none is accepted unless the signed text is the same', (t) => {
  const counted = new Map<string, number>()
  const texts = new Set(samples.flatMap(({ signed }) => signed))

  fc.assert(
    fc.property(
      fc.nat({ max: samples.length - 1 }),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      (of, changes) => {
        const { document, shape, statement } = samples[of]!
        const written = changed(document, changes)
        if (written === document) return
        const reading = read(written, shape)
        const outcome = 'code' in reading ? reading.code : 'accepted'
        counted.set(outcome, (counted.get(outcome) ?? 0) + 1)
        if ('code' in reading) return
        assert.ok(reading.signed.length > 0 && reading.signed.every((text) => texts.has(text)))
        assert.deepEqual(reading.statement, statement)
      },
    ),
    { numRuns: RUNS },
  )

  t.diagnostic([...counted].map(([code, count]) => `${code} ${count}`).join(', '))
  for (const code of ['accepted', 'saml_invalid', 'saml_signature']) assert.ok(counted.has(code), code)
})
