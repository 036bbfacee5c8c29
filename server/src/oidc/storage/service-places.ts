/**
 * Where the service accounts are that this process has found: a request names the client alone. None of them
 * ever moves to another account.
 */
import { LRUCache } from 'lru-cache'
import type { ServiceClient } from '../../resources/service-accounts/queries.ts'

const PLACES_MAX = 10_000

type Place = { system: string; accountId: string }
const places = new LRUCache<string, Place>({ max: PLACES_MAX })

export const notePlace = ({ clientId, accountId, system }: ServiceClient): void =>
  void places.set(clientId, { system: system.clientId, accountId })

/** Undefined for other clients, and for one that was not found yet. */
export const placeOfService = (clientId: string): Place | undefined => places.get(clientId)
