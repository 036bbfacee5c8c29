/** The reading of one response as a whole: what the thread of worker.ts does. */
import { readCertificates } from './certificates.ts'
import type { Expected } from './content.ts'
import { factsOf, type SamlFacts } from './facts.ts'
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
