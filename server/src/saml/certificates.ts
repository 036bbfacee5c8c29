/** The certificates of a connection. The key in one is trusted, whoever has issued it and until when. */
import { X509Certificate } from 'node:crypto'
import type { VerifyingKey } from './signature.ts'

export type SamlCertificate = VerifyingKey & { notBefore: Date; notAfter: Date }

/** Why a list is refused: the position of a certificate, and what is wrong. */
export type CertificateFault = { at: number; fault: 'unreadable' | 'not_rsa' | 'key_size' | 'twice' }

/** Bits of the modulus. A larger one would make each verification slow. */
const BITS = { min: 2_048, max: 8_192 }
const EXPONENT_MAX = 0xffff_ffffn

/** One certificate as PEM or as the base64 of its DER. */
export function readCertificate(text: string): SamlCertificate | CertificateFault['fault'] {
  const [, pem] = /^\s*-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----\s*$/.exec(text) ?? []
  const base64 = (pem ?? text).replace(/\s+/g, '')
  const der = Buffer.from(base64, 'base64')
  if (base64 === '' || der.toString('base64') !== base64) return 'unreadable'
  const certificate = parsedCertificate(der)
  if (!certificate) return 'unreadable'
  const key = certificate.publicKey
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType !== 'rsa') return 'not_rsa'
  if (modulusLength < BITS.min || modulusLength > BITS.max || publicExponent > EXPONENT_MAX) return 'key_size'
  const { validFromDate: notBefore, validToDate: notAfter } = certificate
  return { pem: certificate.toString(), key, notBefore, notAfter }
}

function parsedCertificate(der: Buffer): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(der)
    // The key is decoded when it is read. Nothing may follow the certificate.
    return certificate.publicKey && certificate.raw.equals(der) ? certificate : undefined
  } catch {
    return undefined
  }
}

/** The certificates of a list, which replaces the one before. */
export function readCertificates(texts: readonly string[]): SamlCertificate[] | CertificateFault {
  const read: SamlCertificate[] = []
  for (const [at, text] of texts.entries()) {
    const certificate = readCertificate(text)
    if (typeof certificate === 'string') return { at, fault: certificate }
    if (read.some(({ pem }) => pem === certificate.pem)) return { at, fault: 'twice' }
    read.push(certificate)
  }
  return read
}
