/**
 * The TXT records of a name that a caller has chosen. As for host names (host-addresses.ts), the resolver
 * needs no thread and has its own timeout. A name is absolute: no search domain of the machine is appended.
 */
import { Resolver } from 'node:dns/promises'

/** 1.5 s, in ms, for the first attempt at a resolver; the second has twice as long. */
const QUERY = { timeout: 1_500, tries: 2 }
/** 8 s, in ms, for all resolvers together. */
const LOOKUP_MAX = 8_000

/** The name does not exist, or has no such record. Every other error is the failure of a name server. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA'])

/** The values of the records, each put together from its parts; undefined if there was no answer. */
export type ResolveTexts = (name: string, signal: AbortSignal) => Promise<string[] | undefined>

/**
 * `servers`: addresses, each with an optional port; by default those of the machine. Each lookup has a
 * resolver of its own: it can be canceled, and nothing is cached.
 */
export function textResolverOf(servers: string[]): ResolveTexts {
  return async (name, signal) => {
    const resolver = new Resolver(QUERY)
    if (servers.length > 0) resolver.setServers(servers)
    const ending = AbortSignal.any([signal, AbortSignal.timeout(LOOKUP_MAX)])
    const cancel = () => resolver.cancel()
    ending.addEventListener('abort', cancel, { once: true })
    try {
      if (ending.aborted) return undefined
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
    } catch (error) {
      return ABSENT.has((error as NodeJS.ErrnoException).code ?? '') ? [] : undefined
    } finally {
      ending.removeEventListener('abort', cancel)
    }
  }
}
