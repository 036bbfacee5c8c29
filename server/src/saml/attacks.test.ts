/** Responses of attackers, who have a genuine response of the provider and write what they like around it. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { newSamlKey } from '../../test/support/saml-keys.ts'
import {
  ASSERTION_NS,
  assertionOfShape,
  DS_NS,
  PROTOCOL_NS,
  type SamlShape,
  samlField,
  samlResponse,
} from '../../test/support/saml-provider.ts'
import { GENERIC_SHAPE } from '../../test/support/saml-shapes.ts'
import { readCertificates } from './certificates.ts'
import { readResponse } from './response.ts'

const [key, stranger] = [newSamlKey(), newSamlKey()]
const keys = readCertificates([key.pem])
if (!Array.isArray(keys)) throw new Error(keys.fault)

const genuine = (signs: SamlShape['signs'], more: Partial<SamlShape> = {}) =>
  samlResponse({ ...GENERIC_SHAPE, signs, ...more }, key)
const evilShape = { ...GENERIC_SHAPE, nameId: { value: 'eve@example.com' }, signs: 'nothing' } as const
const evilResponse = samlResponse(evilShape, key, ['_evil_response', '_evil'])
const evil = assertionOfShape(evilShape, '_evil')

const part = (text: string, pattern: RegExp) => pattern.exec(text)?.[0] ?? assert.fail(String(pattern))
const SIGNATURE = /<ds:Signature .*?<\/ds:Signature>/
const ASSERTION = /<saml:Assertion .*<\/saml:Assertion>/

/** Code and message, or the subject that was accepted. */
function outcome(document: string | Buffer): string {
  const reading = readResponse(samlField(document as string), keys as never, GENERIC_SHAPE)
  return 'code' in reading
    ? `${reading.code}: ${reading.message}`
    : `accepted ${reading.statement.nameId?.value}`
}

function refused(cases: Record<string, string>, expected: RegExp): void {
  for (const [name, document] of Object.entries(cases)) {
    assert.match(outcome(document), expected, name)
    assert.doesNotMatch(outcome(document), /accepted|eve@|example/, name)
  }
}

test('the genuine responses of these tests are accepted', () => {
  for (const signs of ['assertion', 'response', 'both'] as const)
    assert.equal(outcome(genuine(signs)), 'accepted ada@example.com')
})

test('P82: signature wrapping: another assertion in any place is refused', () => {
  const [byAssertion, byResponse] = [genuine('assertion'), genuine('response')]
  const assertion = part(byAssertion, ASSERTION)
  const signature = part(byAssertion, SIGNATURE)
  const bare = assertion.replace(SIGNATURE, '')
  const ofResponse = part(byResponse, SIGNATURE)
  const bareResponse = byResponse.replace(SIGNATURE, '')
  const inSignature = (own: string, moved: string) => own.replace('</ds:Signature>', `${moved}$&`)
  const issuerEnd = '</saml:Issuer>'
  const around = (text: string, inner: string) => text.replace(issuerEnd, `$&${inner}`)
  const last = (text: string, inner: string) => text.replace('</samlp:Response>', `${inner}$&`)
  const inObject = `<ds:Object>${bare}</ds:Object>`
  const extensions = (inner: string) => `<samlp:Extensions>${inner}</samlp:Extensions>`
  const evilWithSignature = (own: string) => around(evil, own)
  const put = (text: string) => byAssertion.replace(ASSERTION, text)

  refused(
    {
      'XSW 1': around(evilResponse, inSignature(ofResponse, bareResponse)),
      'XSW 2': around(evilResponse, bareResponse + ofResponse),
      'XSW 3': put(evil + assertion),
      'XSW 4': put(evil.replace('</saml:Assertion>', `${assertion}$&`)),
      'XSW 5': put(evilWithSignature(signature) + bare),
      'XSW 6': put(evilWithSignature(inSignature(signature, bare))),
      'XSW 7': byAssertion.replace('<samlp:Status>', `${extensions(evil)}$&`),
      'XSW 8': put(evilWithSignature(inSignature(signature, inObject))),
      'after the signed one': put(assertion + evil),
      'in the subject': put(around(assertion, '').replace('<saml:Conditions', `${evil}$&`)),
      'signed one in extensions': around(evilResponse, extensions(assertion)),
      'signed one in the status': evilResponse.replace('</samlp:Status>', `${assertion}$&`),
      'signed one in an attribute': evilResponse.replace('<saml:AttributeValue>', `$&${assertion}`),
      'signed one in KeyInfo': put(evilWithSignature(signature.replace('</ds:KeyInfo>', `${bare}$&`))),
      'another namespace': put(evil + assertion).replace(evil, evil.replace(ASSERTION_NS, 'urn:other')),
      'same identifier': put(evil.replace('_evil', '_assertion') + assertion),
      'a response around a response': last(evilResponse, byResponse),
      'the signature beside the evil one': last(put(evil), signature),
    },
    /^saml_(invalid|signature): /,
  )
})

test('P82: a signature of another element is refused, whatever refers to it', () => {
  const both = genuine('both')
  const [responseSignature] = both.match(/<ds:Signature .*?<\/ds:Signature>/g) ?? assert.fail()
  const moved = (signature: string) => evil.replace('</saml:Issuer>', `$&${signature}`)
  const signature = part(genuine('assertion'), SIGNATURE)
  const put = (assertion: string) => genuine('assertion').replace(ASSERTION, assertion)

  refused(
    {
      'the signature of the genuine assertion': put(moved(signature)),
      'the identifier of the genuine assertion': put(moved(signature).replace('"_evil"', '"_assertion"')),
      'the signature of the response': put(moved(responseSignature!)),
      'the reference renamed': put(moved(signature.replace('#_assertion', '#_evil'))),
    },
    /^saml_signature: /,
  )
})

test('what is changed after it was signed is refused', () => {
  for (const signs of ['assertion', 'response', 'both'] as const) {
    const document = genuine(signs)
    refused(
      {
        subject: document.replace('>ada@', '>eve@'),
        attribute: document.replace('>Staff<', '>Owner<'),
        audience: document.replace(/ NotOnOrAfter="2026/, ' NotOnOrAfter="2036'),
        'an element more': document.replace('</saml:AttributeStatement>', `<saml:Attribute Name="x"/>$&`),
        'an attribute less': document.replace(/ SessionIndex="[^"]*"/, ''),
        'a space': document.replace('>ada@', '> ada@'),
      },
      /^saml_signature: the digest differs/,
    )
  }
})

test('P87: a signature that is present has to verify, also beside one that does', () => {
  const changed = genuine('both').replace(' Destination="https', ' Consent="x"$&')
  const [first, second] = genuine('both').match(/<ds:Signature .*?<\/ds:Signature>/g) ?? assert.fail()
  const broken = (signature: string) =>
    genuine('both').replace(signature, signature.replace(/(Value>)\w{4}/, '$1AAAA'))

  refused(
    { changed, response: broken(first!), assertion: broken(second!), none: genuine('nothing') },
    /^saml_signature: /,
  )
  const unsigned = genuine('assertion').replace(SIGNATURE, '')
  assert.equal(outcome(unsigned), 'saml_signature: nothing is signed')
})

test('P88: only keys of the connection count, never one that the response names', () => {
  const strange = samlResponse({ ...GENERIC_SHAPE, signs: 'both' }, stranger)
  const plausible = strange.replaceAll(stranger.base64, key.base64)
  const value = `<ds:KeyValue><ds:RSAKeyValue/></ds:KeyValue>`

  refused({ strange, plausible }, /^saml_signature: no certificate of the connection fits/)
  const named = genuine('assertion', { keyInfo: value })
  assert.equal(outcome(named), 'accepted ada@example.com')
  assert.equal(
    outcome(named.replace(value, `<x:SignatureMethod xmlns:x="${DS_NS}" Algorithm="none"/>`)),
    'accepted ada@example.com',
  )
})

test('P86: an algorithm that is not listed is refused by its name, also with a signature that fits', () => {
  const more = 'http://www.w3.org/2001/04/xmldsig-more#'
  const signed = (from: string | RegExp, to: string) =>
    genuine('assertion', {
      editSignedInfo(text) {
        assert.notEqual(text.replace(from, to), text)
        return text.replace(from, to)
      },
    })
  const sha1 = genuine('assertion', { algorithm: { signature: `${DS_NS}rsa-sha1` } })
  const digest = genuine('assertion', { algorithm: { digest: `${DS_NS}sha1` } })
  const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'
  const method = /(CanonicalizationMethod Algorithm="[^"]*)/
  const last = (algorithm: string) =>
    signed(/(enveloped-signature"><\/ds:Transform><ds:Transform Algorithm=")[^"]*/, `$1${algorithm}`)
  const first = (algorithm: string) => signed(`${DS_NS}enveloped-signature`, algorithm)

  refused(
    {
      ...{ sha1, digest },
      HMAC: signed(/SignatureMethod Algorithm="[^"]*/, `SignatureMethod Algorithm="${more}hmac-sha256`),
      'HMAC with SHA-1': signed(
        /SignatureMethod Algorithm="[^"]*/,
        `SignatureMethod Algorithm="${DS_NS}hmac-sha1`,
      ),
      ECDSA: signed(/SignatureMethod Algorithm="[^"]*/, `SignatureMethod Algorithm="${more}ecdsa-sha256`),
      none: signed(/SignatureMethod Algorithm="[^"]*/, 'SignatureMethod Algorithm="none'),
      'of an object': signed(/SignatureMethod Algorithm="[^"]*/, 'SignatureMethod Algorithm="__proto__'),
      'canonical form with comments': signed(method, '$1WithComments'),
      'inclusive canonical form': signed(
        `Method Algorithm="${exclusive}`,
        'Method Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
      ),
      'transform with comments': last(`${exclusive}WithComments`),
      XSLT: first('http://www.w3.org/TR/1999/REC-xslt-19991116'),
      XPath: first('http://www.w3.org/TR/1999/REC-xpath-19991116'),
      base64: last(`${DS_NS}base64`),
    },
    /^saml_algorithm: /,
  )
})

test('P86: an HMAC with the certificate as its secret is refused', () => {
  const signature = part(genuine('assertion'), SIGNATURE)
  const hmac = signature.replace(/(<ds:SignatureMethod Algorithm=")[^"]*/, `$1${DS_NS}hmac-sha1`)
  const info = part(hmac, /<ds:SignedInfo>.*<\/ds:SignedInfo>/).replace('>', ` xmlns:ds="${DS_NS}">`)
  const value = createHmac('sha1', key.pem).update(info).digest('base64')
  const whole = hmac.replace(/(<ds:SignatureValue>)[^<]*/, `$1${value}`)

  assert.match(outcome(genuine('assertion').replace(SIGNATURE, whole)), /^saml_algorithm: another signature/)
})

test('P86, P162: a signature of another form is refused, also if a key of the connection has signed it', () => {
  const signed = (from: string | RegExp, to: string) =>
    genuine('assertion', {
      editSignedInfo(text) {
        assert.notEqual(text.replace(from, to), text)
        return text.replace(from, to)
      },
    })
  const reference = /<ds:Reference .*<\/ds:Reference>/
  const transform = /<ds:Transform Algorithm="[^"]*"><\/ds:Transform>/

  refused(
    {
      'two references': signed(reference, '$&$&'),
      'no reference': signed(reference, ''),
      'the whole document': signed('"#_assertion"', '""'),
      'no URI': signed(' URI="#_assertion"', ''),
      'an XPointer': signed('"#_assertion"', '"#xpointer(id(\'_assertion\'))"'),
      'the response': signed('"#_assertion"', '"#_response"'),
      'another document': signed('"#_assertion"', '"https://evil.example.com/a.xml"'),
      'three transforms': signed(transform, '$&$&'),
      'one transform': signed(transform, ''),
      'length of an HMAC': signed(
        /(SignatureMethod Algorithm="[^"]*">)/,
        '$1<ds:HMACOutputLength>8</ds:HMACOutputLength>',
      ),
      'two digests': signed(/<ds:DigestValue>.*<\/ds:DigestValue>/, '$&$&'),
      'an element in the digest': signed('<ds:DigestValue>', '$&<ds:b></ds:b>'),
      'another namespace': signed(/<(\/?)ds:DigestMethod/g, '<$1DigestMethod'),
      'another attribute': signed('DigestMethod Algorithm', 'DigestMethod Id="x" Algorithm'),
      'a long list of prefixes': genuine('assertion', { prefixList: 'a '.repeat(101).trim() }),
      'an object': genuine('assertion').replace('</ds:Signature>', '<ds:Object></ds:Object>$&'),
      'two values': genuine('assertion').replace(/<ds:SignatureValue>.*<\/ds:SignatureValue>/, '$&$&'),
      'two infos': genuine('assertion').replace(/<ds:SignedInfo>.*<\/ds:SignedInfo>/, '$&$&'),
      'no value': genuine('assertion').replace(/(<ds:SignatureValue>)[^<]*/, '$1'),
    },
    /^saml_(signature|algorithm): /,
  )
})

test('encrypted parts and other documents are refused', () => {
  const document = genuine('assertion')
  const encrypted = (text: string) =>
    text.replaceAll('saml:Assertion', 'saml:EncryptedAssertion').replace(SIGNATURE, '')
  assert.match(outcome(encrypted(document)), /^saml_encrypted: /)
  assert.match(outcome(document.replaceAll('saml:NameID', 'saml:EncryptedID')), /^saml_encrypted: /)

  refused(
    {
      'an assertion alone': part(document, ASSERTION),
      'a logout': document.replaceAll('samlp:Response', 'samlp:LogoutResponse'),
      'SAML 1.1': document.replace(/ Version="2.0"/, ' Version="1.1"'),
      'another protocol': document.replace(PROTOCOL_NS, 'urn:oasis:names:tc:SAML:1.0:protocol'),
      'no status': document.replace(/<samlp:Status>.*<\/samlp:Status>/, ''),
      'no assertion': document.replace(ASSERTION, ''),
      'another order': document.replace(/(<samlp:Status>.*<\/samlp:Status>)(.*)(<\/samlp)/, '$2$1$3'),
    },
    /^saml_invalid: /,
  )
})

test('P83, P85: what a parser may read in two ways is refused before one reads it', () => {
  const document = genuine('assertion')
  const nameId = (to: string) => document.replace('>ada@example.com<', `>${to}<`)
  const root = (to: string) => document.replace('<samlp:Response', to)

  refused(
    {
      'a comment in the subject': nameId('eve@example.com<!-- -->.evil.example'),
      'a comment in the digest': document.replace('<ds:DigestValue>', '$&<!--x-->'),
      CDATA: nameId('<![CDATA[ada@example.com]]>'),
      instruction: nameId('ada@example.com<?x y?>'),
      'an instruction before it': `<?xml-stylesheet href="x"?>${document}`,
      'document type': `<!DOCTYPE r [<!ENTITY e "eve">]>${document}`,
      'an entity bomb': `<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>${nameId('&b;')}`,
      'an external entity': `<!DOCTYPE r SYSTEM "file:///etc/passwd">${document}`,
      entity: nameId('&eacute;ve@example.com'),
      'no entity': nameId('ada & eve'),
      'a number of no character': nameId('&#0;ada@example.com'),
      'a half surrogate pair': nameId('&#xD800;'),
      'a number beyond Unicode': nameId('&#x110000;'),
      'a null byte': nameId('ada\0@example.com'),
      'the end of a CDATA section': nameId(']]>'),
      'text after it': `${document}x`,
      'text before it': `x${document}`,
      'an element after it': `${document}<a/>`,
      'not closed': document.slice(0, -3),
      'a tag less': document.replace('</saml:Subject>', ''),
      'a tag closed by another': document.replace('</saml:Subject>', '</saml:subject>'),
      'no quotation marks': root('<samlp:Response a=b'),
      'no value': root('<samlp:Response a'),
      'an attribute twice': root('<samlp:Response ID="_x"'),
      'a tag in a tag': root('<samlp:Response a="<b>"'),
      'an attribute twice by two prefixes': root(
        '<samlp:Response xmlns:a="urn:x" xmlns:b="urn:x" a:c="1" b:c="2"',
      ),
      'a prefix without a namespace': root('<samlp:Response x:y="z"'),
      'a prefix of objects': root('<samlp:Response constructor:y="z"'),
      'a prefix of nothing': root('<samlp:Response xmlns:x=""'),
      'no default namespace': root('<samlp:Response xmlns=""'),
      'quotation marks in a namespace': root('<samlp:Response xmlns:x="a&quot; b=&quot;c"'),
      XHTML: root('<samlp:Response xmlns:h="http://www.w3.org/1999/xhtml"'),
      'the prefix xml': root('<samlp:Response xmlns:xml="urn:x"'),
      'the prefix xmlns': root('<samlp:Response xmlns:xmlns="urn:x"'),
      'an attribute that looks like a namespace': root('<samlp:Response xmlnsx="urn:x"'),
      'a name with two colons': root('<samlp:Response xmlns:a:b="urn:x"'),
      'an identifier twice': document.replace('<saml:NameID', '$& ID="_assertion"'),
      'an identifier twice, xml:id': document.replace('<saml:NameID', '$& xml:id="_assertion"'),
      'an identifier twice, Id': document.replace('<saml:NameID', '$& Id="_assertion"'),
      'an identifier with an apostrophe': document.replace('ID="_response"', `ID="_r' or '1"`),
      'a byte order mark': `\ufeff${document}`,
      'another version': `<?xml version="1.1"?>${document}`,
      'another encoding': `<?xml version="1.0" encoding="UTF-7"?>${document}`,
      'a declaration twice': `<?xml version="1.0"?><?xml version="1.0"?>${document}`,
      'a letter beyond ASCII in a name': root('<samlp:Response \u00e9="x"'),
      nothing: '',
      blank: '  ',
    },
    /^saml_invalid: /,
  )
  assert.match(outcome(Buffer.from(document, 'utf16le')), /^saml_invalid: /)
  assert.match(outcome(Buffer.from(`${document}\xff`, 'latin1')), /^saml_invalid: it is not UTF-8/)
  const field = samlField(document)
  for (const other of [`${field}=`, `${field}*`, field.replace('P', '-'), `%${field}`, 'PA', ''])
    assert.ok('code' in readResponse(other, keys, GENERIC_SHAPE), other.slice(-9))
})

test('P84, P161: documents beyond the limits are refused before a parser reads them', () => {
  const document = genuine('assertion')
  const inside = (text: string) => document.replace('<saml:AttributeStatement>', `$&${text}`)
  const names = Array.from({ length: 101 }, (_, at) => `<n${at}></n${at}>`).join('')
  const many = (count: number, each: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => each(at)).join('')

  refused(
    {
      bytes: inside(`<a>${'x'.repeat(196_608)}</a>`),
      tags: inside('<a/>'.repeat(4_000)),
      depth: inside(`${'<a>'.repeat(33)}${'</a>'.repeat(33)}`),
      'attributes of an element': inside(`<a${many(31, (at) => ` a${at}=""`)}/>`),
      attributes: inside(`<a${many(29, (at) => ` a${at}=""`)}/>`.repeat(140)),
      names: inside(names),
      prefixes: inside(many(41, (at) => `<a xmlns:p${at}="urn:x"/>`)),
      'the name of a namespace': inside(`<a xmlns:p="urn:${'x'.repeat(200)}"/>`),
      'a name': inside(`<${'a'.repeat(101)}/>`),
    },
    /^saml_invalid: (it is|too|nested|a name that|the name of a namespace)/,
  )
})
