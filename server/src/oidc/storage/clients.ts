/** The clients of the protocol library: systems, service accounts, and the built-in client of /account. */
import type { Adapter } from 'oidc-provider'
import { readHandle } from '../../database/transaction.ts'
import { isServiceClientId } from '../../resources/service-accounts/changes.ts'
import { findServiceClient } from '../../resources/service-accounts/queries.ts'
import { cachedClient, clientOf } from '../../resources/systems/queries.ts'
import { ACCOUNT_CLIENT_ID } from '../clients/client.ts'
import { accountClientMetadata, serviceAccountMetadata, systemMetadata } from '../clients/metadata.ts'
import { type Storage, unused } from '../policy/storage.ts'
import { notePlace } from './service-places.ts'

export function clientAdapter({ db, config }: Storage): Adapter {
  return {
    ...unused,
    async find(clientId) {
      if (clientId === ACCOUNT_CLIENT_ID) return accountClientMetadata(config)
      if (isServiceClientId(clientId)) {
        const found = await findServiceClient(await readHandle(db), clientId)
        if (found) {
          notePlace(found)
          return serviceAccountMetadata(found)
        }
      }
      const system = cachedClient(db, clientId) ?? (await clientOf(db, clientId, await readHandle(db)))
      return system && systemMetadata(system)
    },
  }
}
