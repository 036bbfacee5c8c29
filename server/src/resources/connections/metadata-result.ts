/** What follows from the metadata that was read: the settings, the audit entry, and emails to the admins. */
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { SERVER } from '../../http/authority.ts'
import { certificatesEnd, metadataChanged } from '../../jobs/email/admin-messages.ts'
import { notify } from '../../jobs/email/budget.ts'
import type { EmailMessage } from '../../jobs/email/email.ts'
import type { Reader } from '../../jobs/email/messages.ts'
import { difference } from '../../journal/audit/record.ts'
import { findPlace } from '../domains/queries.ts'
import { listAdminReaders } from '../memberships/account-admins.ts'
import type { Application } from '../systems/application.ts'
import { recordConnection } from './event.ts'
import { type DueConnection, lockReading, type MetadataCode, storeReading } from './metadata-queries.ts'
import type { Connection } from './queries.ts'
import { fingerprintsOf, type StatedSettings, statedFault } from './saml.ts'

/** `reason`: for the log. */
export type Refused = { code: MetadataCode; reason: string }
type Parts = { seal: Seal; config: Pick<Config, 'BASE_URL' | 'CONNECTIONS_ALLOW_PRIVATE'> }

/** In days before the end of the last certificate. */
const NOTICES = [1, 7, 30]
/** In ms. */
const DAY = 86_400_000

/**
 * Stores what was read of a connection, and tells its admins. Metadata of another issuer changes nothing.
 * Returns why it was refused, if so. `read`: undefined without an address.
 */
export async function noteReading(
  tx: Db,
  parts: Parts,
  due: DueConnection,
  read: StatedSettings | Refused | undefined,
): Promise<Refused | undefined> {
  const locked = await lockReading(tx, due)
  if (!locked) return undefined
  const { certificateNotice: sent, now, ...before } = locked
  const refused = read && refusalOf(parts, before, read)
  const given = read && !refused ? (read as StatedSettings) : undefined
  const changes = given ? difference(before, { ...before, ...given }) : {}
  const stated = Object.keys(changes).length > 0 ? given : undefined
  const certificates = stated?.certificates ?? before.certificates
  const end = endOf(certificates)
  const isNewEnd = end?.getTime() !== endOf(before.certificates)?.getTime()
  const { notice, nextAt } = before.enabled && end ? noticesOf(end, now, isNewEnd ? null : sent) : {}
  const after = await storeReading(tx, before, {
    stated,
    code: refused?.code,
    certificateNotice: notice ?? (isNewEnd ? null : sent),
    nextNoticeAt: nextAt,
  })
  if (changes.certificates)
    changes.certificates = [fingerprintsOf(before.certificates), fingerprintsOf(certificates)]
  if (stated) await recordConnection(tx, SERVER, 'connection.metadata_changed', after, changes)
  if (stated && before.enabled) await tell(tx, parts, after, metadataChanged)
  if (notice !== undefined && end)
    await tell(tx, parts, after, (reader, system, values) =>
      certificatesEnd(reader, system, { ...values, endsAt: end }),
    )
  return refused
}

function refusalOf(
  { config }: Parts,
  { issuer }: Connection,
  read: StatedSettings | Refused,
): Refused | undefined {
  if ('code' in read) return read
  const reason = statedFault(config, issuer, read)
  return reason === undefined ? undefined : { code: 'metadata_invalid', reason }
}

/** The end of the last certificate. */
function endOf(certificates: Connection['certificates']): Date | undefined {
  const times = certificates.map(({ notAfter }) => Date.parse(notAfter))
  return times.length === 0 ? undefined : new Date(Math.max(...times))
}

/** Which email about the end is due now, and when the next one is. `sent`: the last one. */
function noticesOf(end: Date, now: Date, sent: number | null): { notice?: number; nextAt?: Date } {
  const days = (end.getTime() - now.getTime()) / DAY
  const reached = days > 0 ? NOTICES.find((each) => days <= each) : undefined
  const next = NOTICES.findLast((each) => each < days)
  return {
    ...(reached !== undefined && (sent === null || reached < sent) && { notice: reached }),
    ...(next !== undefined && { nextAt: new Date(end.getTime() - next * DAY) }),
  }
}

type Compose = (
  reader: Reader,
  system: Application,
  values: { connection: string; account: string; href: string },
) => EmailMessage

async function tell(
  tx: Db,
  { seal, config }: Parts,
  { accountId, systemId, name: connection }: Connection,
  compose: Compose,
): Promise<void> {
  const place = await findPlace(tx, { accountId })
  if (!place) return
  const href = `${config.BASE_URL}/account/organizations/${accountId}/sso`
  for (const reader of await listAdminReaders(tx, accountId)) {
    const email = compose(reader, place.application, { connection, account: place.account, href })
    await notify(tx, seal, email, systemId, accountId)
  }
}
