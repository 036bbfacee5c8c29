/** The certificates of a SAML provider, and what its metadata states, as they are stored. */
import { X509Certificate } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import { Failure, invalid } from '../../errors.ts'
import { type CertificateFault, readCertificates, type SamlCertificate } from '../../saml/certificates.ts'
import type { SamlReader } from '../../saml/reader.ts'
import type { MetadataOutcome } from '../../saml/reading.ts'
import { providerUrlFault } from './settings.ts'

/** Times are those of the certificate. */
export type StoredCertificate = { pem: string; notBefore: string; notAfter: string }

/** What the metadata of a provider states. */
export type StatedSettings = { issuer: string; ssoUrl: string; certificates: StoredCertificate[] }

type Dated = Pick<SamlCertificate, 'pem' | 'notBefore' | 'notAfter'>
const storedCertificate = ({ pem, notBefore, notAfter }: Dated): StoredCertificate => ({
  pem,
  notBefore: notBefore.toISOString(),
  notAfter: notAfter.toISOString(),
})

const FAULTS = {
  unreadable: 'must be an X.509 certificate in PEM',
  not_rsa: 'must have an RSA key',
  key_size: 'must have a key of 2,048 to 8,192 bits',
  twice: 'must not be in the list twice',
} as const satisfies Record<CertificateFault['fault'], string>

/** Throws `invalid_request` with the position of the first certificate that is not accepted. */
export function storedCertificates(texts: readonly string[]): StoredCertificate[] {
  const read = readCertificates(texts)
  if (Array.isArray(read)) return read.map(storedCertificate)
  throw invalid(`/certificates/${read.at}`, FAULTS[read.fault])
}

/** Reads a document in a thread of its own. */
export type ReadMetadata = (document: Buffer) => Promise<MetadataOutcome>

type Place = { systemId: string; accountId: string }

/** `demand` decides who may have metadata read, and for which account. */
export const readingAfter =
  (saml: SamlReader, demand: () => Promise<Place>): ReadMetadata =>
  async (metadata) => {
    const place = await demand()
    return saml.read({ ...place, id: `metadata of ${place.accountId}` }, { metadata })
  }

/** Reads metadata, outside of a transaction. `message`: why it is refused. */
export async function readStated(
  document: Buffer,
  readMetadata: ReadMetadata,
): Promise<StatedSettings | { message: string }> {
  const read = await readMetadata(document)
  if ('message' in read) return read
  const { issuer, ssoUrl, certificates } = read
  return { issuer, ssoUrl, certificates: certificates.map(storedCertificate) }
}

/** As `readStated`. Throws `metadata_invalid`. */
export async function statedIn(document: Buffer, readMetadata: ReadMetadata): Promise<StatedSettings> {
  const read = await readStated(document, readMetadata)
  if ('message' in read) throw metadataInvalid(read.message)
  return read
}

/** Why a connection does not take what metadata states, if so. `known`: its issuer. */
export function statedFault(
  config: Pick<Config, 'CONNECTIONS_ALLOW_PRIVATE'>,
  known: string | null,
  { issuer, ssoUrl }: StatedSettings,
): string | undefined {
  if (known !== null && known !== issuer) return 'It is of another issuer: entityID differs.'
  const fault = providerUrlFault(config, ssoUrl)
  return fault && `Its address for a redirect ${fault}.`
}

export const metadataInvalid = (detail: string) => new Failure('metadata_invalid', { detail })

/** What the audit log shows of certificates: their SHA-256, as other programs write it. */
export const fingerprintsOf = (certificates: readonly Pick<StoredCertificate, 'pem'>[]): string[] =>
  certificates.map(({ pem }) => new X509Certificate(pem).fingerprint256)
