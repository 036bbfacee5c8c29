/** The reading of one document as a whole: what the thread of worker.ts does. */
import { readCertificates } from './certificates.ts'
import type { Expected } from './content.ts'
import { factsOf, type SamlFacts } from './facts.ts'
import { readMetadata } from './metadata.ts'
import { type SamlCode, SamlRefusal } from './refusal.ts'
import { readResponse } from './response.ts'

export type ReadingTask = {
  /** The parameter `SAMLResponse`. */
  field: string
  /** The certificates of the connection. */
  pems: string[]
  expected: Expected
  rules: Parameters<typeof factsOf>[1]
}

export type SamlOutcome =
  | { facts: SamlFacts; attributes: [name: string, values: string[]][] }
  /** `message` is for the log. */
  | { code: SamlCode; message: string }

/** What the metadata of a provider states. Times are those of the certificates. */
export type StatedMetadata = {
  issuer: string
  ssoUrl: string
  certificates: { pem: string; notBefore: Date; notAfter: Date }[]
}
export type MetadataOutcome = StatedMetadata | { message: string }

/** `metadata`: the document, in UTF-8. */
export type Task = ReadingTask | { metadata: Uint8Array }
export type Outcome<Given extends Task> = Given extends ReadingTask ? SamlOutcome : MetadataOutcome

export const outcomeOf = (task: Task): SamlOutcome | MetadataOutcome =>
  'metadata' in task ? statedIn(Buffer.from(task.metadata)) : readAll(task)

/** A key does not pass from one thread to another. */
function statedIn(document: Buffer): MetadataOutcome {
  const read = readMetadata(document)
  if ('message' in read) return read
  const certificates = read.certificates.map(({ pem, notBefore, notAfter }) => ({ pem, notBefore, notAfter }))
  return { ...read, certificates }
}

export function readAll({ field, pems, expected, rules }: ReadingTask): SamlOutcome {
  const keys = readCertificates(pems)
  if (!Array.isArray(keys)) return { code: 'saml_signature', message: 'a stored certificate is not readable' }
  const reading = readResponse(field, keys, expected)
  if ('code' in reading) return reading
  try {
    const facts = factsOf(reading.statement, rules, expected)
    return { facts, attributes: [...reading.statement.attributes] }
  } catch (error) {
    if (error instanceof SamlRefusal) return { code: error.code, message: error.message }
    throw error
  }
}
