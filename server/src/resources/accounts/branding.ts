/** The address of the logo in `branding` of an account, which only an upload sets (resources/branding). */
import type { Db } from '../../database/database.ts'
import type { AccountBranding } from '../../database/schema.ts'
import { invalid } from '../../errors.ts'
import { deleteImage } from '../images/queries.ts'
import type { Account } from './queries.ts'

/**
 * A change of `branding` of a row-locked account keeps the logo by its present address, and deletes it
 * otherwise. Throws `invalid_request` for another address: members load a logo from no other server.
 */
export async function keepLogo(
  tx: Db,
  { id: accountId, systemId, branding: { logoUrl } }: Account,
  after: AccountBranding,
): Promise<void> {
  if (after.logoUrl === logoUrl) return
  if (after.logoUrl !== undefined)
    throw invalid('/branding/logoUrl', 'is set by an upload: only the present address is accepted')
  await deleteImage(tx, { systemId, accountId, kind: 'logo' })
}
