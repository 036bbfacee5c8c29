/** The certificates of a connection, as an admin pastes them. */
import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { newSamlKey, selfSigned } from '../../test/support/saml-keys.ts'
import { readCertificate, readCertificates } from './certificates.ts'

const VALID = { from: new Date('2024-02-29T01:02:03Z'), until: new Date('2034-02-28T04:05:06Z') }
const key = newSamlKey(VALID)

test('a certificate is read from PEM and from base64, with its times, and written as PEM', () => {
  const lines = key.base64.replace(/.{70}/g, '$&\r\n')
  for (const text of [key.pem, ` ${key.pem}\n`, key.pem.replaceAll('\n', '\r\n'), key.base64, lines]) {
    const read = readCertificate(text)

    if (typeof read === 'string') assert.fail(read)
    assert.equal(read.pem, key.pem)
    assert.deepEqual([read.notBefore, read.notAfter], [VALID.from, VALID.until])
    assert.ok(read.key.equals(key.publicKey))
  }
})

test('what is no certificate is refused: a key, a chain, something after it, another text', () => {
  const { privateKey, publicKey } = key
  const texts = [
    publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    key.pem + key.pem,
    key.pem.replace('BEGIN CERTIFICATE', 'BEGIN TRUSTED CERTIFICATE'),
    Buffer.concat([Buffer.from(key.base64, 'base64'), Buffer.from([0])]).toString('base64'),
    key.base64.slice(4),
    key.base64.slice(0, -8),
    `${key.base64}*`,
    ...['', ' ', 'AAAA', 'https://idp.example.com/certificate'],
  ]

  for (const text of texts) assert.equal(readCertificate(text), 'unreadable', text.slice(0, 40))
})

test('only RSA keys of 2,048 to 8,192 bits with a small exponent are accepted', () => {
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2_048 })
  const jwk = key.publicKey.export({ format: 'jwk' })
  const exponent = Buffer.from('0100000001', 'hex').toString('base64url')
  const publicKey = createPublicKey({ format: 'jwk', key: { ...jwk, e: exponent } })
  const signedByUs = (keys: Parameters<typeof selfSigned>[0]) =>
    readCertificate(selfSigned(keys, { ...VALID, signer: key.privateKey }))

  assert.equal(signedByUs(curve), 'not_rsa')
  assert.equal(signedByUs(pss), 'not_rsa')
  assert.equal(signedByUs({ ...key, publicKey }), 'key_size')
  assert.equal(readCertificate(newSamlKey({ bits: 1_024 }).pem), 'key_size')
  assert.equal(typeof readCertificate(newSamlKey({ bits: 3_072 }).pem), 'object')
})

test('a fault in a list says which certificate it is, and one certificate is in it once', () => {
  const other = newSamlKey()

  assert.deepEqual(readCertificates([key.pem, 'x']), { at: 1, fault: 'unreadable' })
  assert.deepEqual(readCertificates([key.pem, other.pem, key.base64]), { at: 2, fault: 'twice' })
  assert.equal((readCertificates([key.pem, other.pem]) as unknown[]).length, 2)
})
