/** RSA keys with certificates for tests of SAML, made without a program. */
import { createSign, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto'

export type SamlKey = { privateKey: KeyObject; publicKey: KeyObject; pem: string; base64: string }

const length = (bytes: number): Buffer => {
  if (bytes < 128) return Buffer.from([bytes])
  const digits = Buffer.from(bytes.toString(16).padStart(bytes > 255 ? 4 : 2, '0'), 'hex')
  return Buffer.concat([Buffer.from([0x80 | digits.length]), digits])
}
/** A value of DER (X.690) with its tag and length. */
const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), length(content.length), content])
}
const sequence = (...parts: Buffer[]) => der(0x30, ...parts)

const SHA256_WITH_RSA = sequence(der(0x06, Buffer.from('2a864886f70d01010b', 'hex')), der(0x05))
const COMMON_NAME = der(0x06, Buffer.from('550403', 'hex'))
const nameOf = (text: string) => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(text)))))
const timeOf = (time: Date) =>
  der(0x18, Buffer.from(`${time.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`))

let serial = 0

/** A certificate of the key that the key has signed itself. */
export function selfSigned(
  keys: { privateKey: KeyObject; publicKey: KeyObject },
  { from, until, signer = keys.privateKey }: { from: Date; until: Date; signer?: KeyObject },
): string {
  const name = nameOf('Identity provider of a test')
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1, ++serial % 256])),
    SHA256_WITH_RSA,
    ...[name, sequence(timeOf(from), timeOf(until)), name],
    keys.publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = createSign('sha256').update(body).sign(signer)
  const raw = sequence(body, SHA256_WITH_RSA, der(0x03, Buffer.from([0]), signature))
  return new X509Certificate(raw).toString()
}

export function newSamlKey({
  bits = 2_048,
  from = new Date('2020-01-01'),
  until = new Date('2040-01-01'),
} = {}): SamlKey {
  const keys = generateKeyPairSync('rsa', { modulusLength: bits })
  const pem = selfSigned(keys, { from, until })
  return { ...keys, pem, base64: new X509Certificate(pem).raw.toString('base64') }
}
