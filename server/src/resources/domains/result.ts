/** What follows from the check of a domain: the audit entry, the event, and the email to the admins. */
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { SERVER } from '../../http/authority.ts'
import { domainLapsed } from '../../jobs/email/admin-messages.ts'
import { notify } from '../../jobs/email/budget.ts'
import { difference } from '../../journal/audit/record.ts'
import { listAdminReaders } from '../memberships/account-admins.ts'
import { type CheckResult, type DueDomain, storeCheck } from './due-queries.ts'
import { enqueueDomain, recordDomain } from './event.ts'
import { type Domain, findPlace } from './queries.ts'

type Mailing = { seal: Seal; config: Pick<Config, 'BASE_URL'> }

/** Stores the result, and notes a domain that is verified now, or not any more. */
export async function noteResult(
  tx: Db,
  mailing: Mailing,
  due: DueDomain,
  result: CheckResult,
): Promise<void> {
  const stored = await storeCheck(tx, due, result)
  if (!stored) return
  const { before, after } = stored
  const { status } = after
  if (status === before.status || status === 'pending') return
  const reason = status === 'lapsed' ? { reason: result.outcome } : {}
  const changes = difference({ status: before.status }, { status, ...reason })
  await recordDomain(tx, SERVER, `domain.${status}`, after, changes)
  await enqueueDomain(tx, SERVER, `domain.${status}`, after)
  if (status === 'lapsed') await notifyLapsed(tx, mailing, after)
}

async function notifyLapsed(tx: Db, { seal, config }: Mailing, domain: Domain): Promise<void> {
  const place = await findPlace(tx, domain)
  if (!place) return
  const href = `${config.BASE_URL}/account/organizations/${domain.accountId}/sso`
  const { name } = domain
  for (const reader of await listAdminReaders(tx, domain.accountId)) {
    const email = domainLapsed(reader, place.application, { domain: name, account: place.account, href })
    await notify(tx, seal, email, domain.systemId, domain.accountId)
  }
}
