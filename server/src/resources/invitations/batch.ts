/** Several addresses are invited one after another: one that is refused does not prevent the others. */

import { failureOf } from '../../database/faults.ts'
import { storedAddress } from '../../email-address.ts'
import { type FailureCode, invalid } from '../../errors.ts'

/** They concern all addresses. */
const OF_ACCOUNT = new Set<string>(['account_not_found', 'not_organization'])

/** `status`: of the operation for this address. */
export type Result<Invitation> = {
  email: string
  status: number
  invitation?: Invitation
  code?: FailureCode
  detail?: string
}

/** `inviteOne` is called with the stored form of each address that is one, and opens a transaction. */
export async function inviteEach<Wanted extends { email: string }, Invitation>(
  all: readonly Wanted[],
  inviteOne: (wanted: Wanted) => Promise<Invitation>,
): Promise<Result<Invitation>[]> {
  const results: Result<Invitation>[] = []
  for (const wanted of all) {
    const { email } = wanted
    try {
      const address = storedAddress(email)
      if (address === undefined) throw invalid('/email', 'must be an email address')
      results.push({ email, status: 201, invitation: await inviteOne({ ...wanted, email: address }) })
    } catch (error) {
      const failure = failureOf(error)
      if (!failure || failure.status >= 500 || OF_ACCOUNT.has(failure.code)) throw error
      const { status, code, detail } = failure
      results.push({ email, status, code, ...(detail !== undefined && { detail }) })
    }
  }
  return results
}
