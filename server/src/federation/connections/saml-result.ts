/**
 * What a SAML provider has stated, between the form that its page posts, which has no cookie, and the request
 * of the browser that has. One for each request, over all processes.
 */
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { hasArtifact, insertArtifact, takeArtifact } from '../../resources/artifacts/queries.ts'
import type { TicketKind } from '../../saml/ticket.ts'
import type { Assertion } from './assertion.ts'

type Parts = { db: Db; seal: Seal; config: Config }
/** A request to a connection. */
export type RequestKey = { connection: string; requestId: string }

export type SamlResult = {
  kind: TicketKind
  /** When the response was received, by the clock of the database; ms since 1970. */
  at: number
  stated: Omit<Assertion, 'groups'>
  until?: number
  /** Of a test. */
  groups?: Assertion['groups']
}

const MODEL = 'SamlResult'
/** 16 kB, in bytes. */
const RESULT_MAX = 16_384
/** In ms, for which a result can be used. */
const USABLE_MAX = 300_000
/** In seconds: a ticket may have been issued by a process whose clock is ahead. */
const AHEAD = 60

const contextOf = ({ connection, requestId }: RequestKey) => `saml-result:${connection}:${requestId}`
const keyOf = ({ seal }: Pick<Parts, 'seal'>, { connection, requestId }: RequestKey) => ({
  model: MODEL,
  idHash: seal.hash(JSON.stringify([connection, requestId]), 'saml-result'),
})

/** Sealed, without what does not fit; undefined if it does not fit at all. */
export function sealedResult(
  { seal }: Pick<Parts, 'seal'>,
  key: RequestKey,
  result: SamlResult,
): string | undefined {
  const { groups: _, ...smaller } = result
  return [result, smaller]
    .map((each) => seal.seal(JSON.stringify(each), contextOf(key)).toString('base64'))
    .find((sealed) => sealed.length <= RESULT_MAX)
}

/** The first one of a request stays. */
export const storeResult = (parts: Parts, key: RequestKey, sealed: string): Promise<boolean> =>
  insertArtifact(parts.db, {
    ...keyOf(parts, key),
    payload: { sealed },
    expiresIn: parts.config.TTL_INTERACTION + AHEAD,
  })

/** Whether the request has had an answer, used or not. */
export const hasResult = (parts: Parts, key: RequestKey): Promise<boolean> =>
  hasArtifact(parts.db, keyOf(parts, key))

/** For exactly one caller. `now`: by the clock of the database. */
export async function takeResult(
  parts: Parts,
  key: RequestKey,
  now: number,
): Promise<SamlResult | undefined> {
  const { sealed } = (await takeArtifact(parts.db, keyOf(parts, key))) ?? {}
  if (typeof sealed !== 'string') return undefined
  try {
    const opened = parts.seal.open(Buffer.from(sealed, 'base64'), contextOf(key))
    const result = JSON.parse(opened) as SamlResult
    return now - result.at <= USABLE_MAX ? result : undefined
  } catch {
    return undefined // sealed under another key
  }
}
