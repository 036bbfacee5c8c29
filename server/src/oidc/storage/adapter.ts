/**
 * Where the protocol library keeps things. Its models map so:
 *   Client                          a row of `systems` (clients.ts)
 *   Grant                           a row of `sessions`: what was granted, to whom, in which account (stored-grants.ts)
 *   AccessToken, ClientCredentials  never stored: signed tokens, verified when one is presented (stored-tokens.ts)
 *   everything else                 a row of `artifacts`, found by the keyed hash of what the client holds (stored-artifacts.ts)
 * Inside a request that writes, everything goes through its one transaction (db.ts, UnitOfWork).
 */
import type { Adapter } from 'oidc-provider'
import { readHandle } from '../../database/transaction.ts'
import { clientOf, heldClient } from '../../resources/systems/clients.ts'
import { clientMetadata } from '../provider/clients.ts'
import { guardFaults } from '../provider/faults.ts'
import { artifactAdapter, isStorable } from './artifacts.ts'
import { grantAdapter } from './grants.ts'
import { type Storage, unused } from './storage.ts'
import { accessTokenAdapter, replayAdapter, serviceTokenAdapter } from './tokens.ts'

/** Makes the library's adapter of one model. */
export function adapterFor(storage: Storage): (model: string) => Adapter {
  const special: Record<string, (storage: Storage) => Adapter> = {
    Client: clientAdapter,
    Grant: grantAdapter,
    AccessToken: accessTokenAdapter,
    ClientCredentials: serviceTokenAdapter,
    ReplayDetection: replayAdapter,
  }
  return (model) => guarded(special[model]?.(storage) ?? artifactAdapter(storage, model))
}

/** No database fault leaves it as anything but "try again". */
function guarded(adapter: Adapter): Adapter {
  return {
    find: guardFaults(adapter.find),
    findByUid: guardFaults(adapter.findByUid),
    findByUserCode: guardFaults(adapter.findByUserCode),
    upsert: guardFaults(adapter.upsert),
    consume: guardFaults(adapter.consume),
    destroy: guardFaults(adapter.destroy),
    revokeByGrantId: guardFaults(adapter.revokeByGrantId),
  }
}

function clientAdapter({ db }: Storage): Adapter {
  return {
    ...unused,
    async find(clientId) {
      const system =
        heldClient(db, clientId) ??
        (isStorable(clientId) ? await clientOf(db, clientId, await readHandle(db)) : undefined)
      return system && clientMetadata(system)
    },
  }
}
