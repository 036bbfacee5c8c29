/**
 * Which tests run where, and how they are divided into parts of about the same time. A part is one process
 * with one server and one database.
 */
import { readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'

/** Seconds of each file in an earlier run on PostgreSQL, written by `npm test -- --record`. */
const DURATIONS = join(import.meta.dirname, 'durations.json')

/**
 * Tests of what differs between the databases: transactions, storage of the protocol, the audit chain, and
 * the start, the upgrade and the copy of an embedded database. They run on both; `npm run test:all` runs
 * everything on both.
 */
const EMBEDDED = matching(
  'server/src/database/{aborted,lookups,transaction}.test.ts',
  'server/src/http/idempotency/**',
  'server/src/oidc/{grants,revocation}.test.ts',
  'server/src/interaction/{concurrent-changes,lost-races}.test.ts',
  'server/src/journal/audit/chain/**',
  'server/src/resources/memberships/{memberships,states}.test.ts',
  'server/test/processes/{audit-tampering,backup,start}.test.ts',
)

/** Tests of the embedded database itself. */
const EMBEDDED_ALONE = matching('server/test/processes/{embedded-upgrade,moving-in,readme}.test.ts')

/**
 * Tests that `npm run test:all` does not repeat on the embedded database: of deadlocks and concurrent
 * changes, which it executes one by one, of many rows, of the clock of the database, of server processes that
 * share a database, and of what is the same on both.
 */
const POSTGRES_ALONE = matching(
  'server/src/authentication/{guessing,imported-hashes-timing,timing}.test.ts',
  'server/src/database/{deadlocks,lists,lock-order}.test.ts',
  'server/src/http/quotas.test.ts',
  'server/src/jobs/backchannel-logout/backchannel-logout.test.ts',
  'server/src/jobs/webhooks/{deliver,fair-share,receivers}.test.ts',
  'server/src/resources/domains/{domains,worker}.test.ts',
  'server/src/journal/events/slow-readers.test.ts',
  'server/src/resources/memberships/{invariants,model}.test.ts',
  'server/src/resources/users/{proofs-after,scopes.property}.test.ts',
  'server/src/lifecycle/import-users.test.ts',
  'server/src/{http,explain}/**/*.property.test.ts',
  'server/test/processes/{backchannel,chaos-events,event-order,event-stream,faults,flood,locales}.test.ts',
  'server/test/processes/{neighbors,partitions,retention,rotate-secrets,revocation-across}.test.ts',
  'server/test/processes/{two-processes,webhooks}.test.ts',
  'server/test/processes/{migrations,restarts,round-robin*,versions}.test.ts',
  'server/src/{config,crypto,texts,ui}/**',
  'server/src/*.test.ts',
  'server/src/console/**',
  'server/src/http/openapi/**',
  'server/test/browser/**',
  'sdk/test/**',
  'console/test/**',
  'packaging/**',
  'bench/**',
)

/** Minutes of killed processes, restarts, upgrades and thousands of rows. `npm run test:all` runs them. */
const DEEP = matching(
  'server/test/processes/{audit-tampering,chaos,chaos-events,failover,jobs,kill,neighbors,restarts,versions}.test.ts',
  'server/test/processes/{embedded-upgrade,revocation-delivery}.test.ts',
)

/** Tests of password hashes, their time and their number. All others use a hash that takes no time. */
const REAL_HASHES = matching(
  'server/src/authentication/{guessing,guessing-scopes,imported-hashes*,timing}.test.ts',
  'server/src/crypto/**',
  'server/src/http/idempotency/password-hash.test.ts',
  'server/src/interaction/unauthenticated.test.ts',
  'server/src/self-service/account.test.ts',
  'server/src/resources/invitations/unknown-addresses.test.ts',
  'server/src/lifecycle/import-users*.test.ts',
  'server/test/processes/moving-in.test.ts',
)

/** Tests of imported hashes: after them, failed sign-ins in their process take as long as these. */
const SLOWING = matching(
  'server/src/authentication/imported-hashes*.test.ts',
  'server/src/lifecycle/import-users.test.ts',
)

/** Tests of the size of tables and of the rows that lists read: what other tests write would change them. */
const SIZES = matching(
  'server/src/oidc/anonymous-rows.test.ts',
  'server/src/resources/users/read-rows.test.ts',
)

/** Tests that start server processes or a browser. */
const PROCESSES = matching(
  'server/test/{processes,browser}/**',
  'server/src/ui/**',
  'server/src/self-service/browser.test.ts',
  '{console/test,packaging,sdk/test}/**',
)

/** In s: the aim for the time of a part. Each starts a server, which takes about three. */
const PART_TIME = 100
/** In s: of a file that has not been measured, and of one that starts processes. */
const UNKNOWN = 3
const UNKNOWN_WITH_PROCESSES = 20
/** The embedded database takes about twice as long. */
const EMBEDDED_FACTOR = 2

function matching(...patterns: string[]): (file: string) => boolean {
  return (file) => patterns.some((pattern) => matchesGlob(file, pattern))
}

const not = (is: (file: string) => boolean) => (file: string) => !is(file)

/** Files that one process runs, on one server and one database. */
export type Part = { where: string; files: string[]; hasCheapHashes: boolean; isEmbedded: boolean }

type Group = Omit<Part, 'files'> & { includes: (file: string) => boolean }

const GROUPS: Omit<Group, 'isEmbedded'>[] = [
  {
    where: 'server processes and browsers',
    hasCheapHashes: true,
    includes: (file) => PROCESSES(file) && !REAL_HASHES(file),
  },
  {
    where: 'requests',
    hasCheapHashes: true,
    includes: (file) => !PROCESSES(file) && !REAL_HASHES(file) && !SLOWING(file) && !SIZES(file),
  },
  { where: 'sizes of tables', hasCheapHashes: true, includes: SIZES },
  {
    where: 'password hashes',
    hasCheapHashes: false,
    includes: (file) => REAL_HASHES(file) && !SLOWING(file),
  },
  { where: 'imported hashes', hasCheapHashes: false, includes: SLOWING },
]

const secondsOf: Record<string, number> = JSON.parse(readFileSync(DURATIONS, 'utf8'))
const weightOf = (file: string): number =>
  secondsOf[file] ?? (PROCESSES(file) ? UNKNOWN_WITH_PROCESSES : UNKNOWN)

/** Divides files into `count` lists of about the same time: the longest first, each to the shortest list. */
function divide(files: string[], count: number): string[][] {
  const lists = Array.from({ length: count }, () => ({ files: [] as string[], time: 0 }))
  for (const file of files.toSorted((a, b) => weightOf(b) - weightOf(a))) {
    const shortest = lists.reduce((least, list) => (list.time < least.time ? list : least))
    shortest.files.push(file)
    shortest.time += weightOf(file)
  }
  return lists.map((list) => list.files.sort())
}

function partsOf(group: Group, given: string[]): { part: Part; time: number }[] {
  const { includes, ...rest } = group
  const files = given.filter(includes)
  if (files.length === 0) return []
  const timeOf = (list: string[]) =>
    list.reduce((sum, file) => sum + weightOf(file), 0) * (group.isEmbedded ? EMBEDDED_FACTOR : 1)
  const count = Math.min(files.length, Math.ceil(timeOf(files) / PART_TIME))
  return divide(files, count).map((list, at) => ({
    part: { ...rest, where: count > 1 ? `${group.where} ${at + 1} of ${count}` : group.where, files: list },
    time: timeOf(list),
  }))
}

/** The parts of a run, the longest first. `all`: on both databases. */
export function planParts(files: string[], { all }: { all: boolean }): Part[] {
  const onPostgres = files.filter(not(EMBEDDED_ALONE))
  const onEmbedded = files.filter((file) =>
    all ? !POSTGRES_ALONE(file) : EMBEDDED(file) || EMBEDDED_ALONE(file),
  )
  const groups = (where: string, isEmbedded: boolean) =>
    GROUPS.map((group) => ({ ...group, where: `${where}: ${group.where}`, isEmbedded }))
  return [
    ...groups('PostgreSQL', false).flatMap((group) => partsOf(group, onPostgres)),
    ...groups('PGlite', true).flatMap((group) => partsOf(group, onEmbedded)),
  ]
    .sort((a, b) => b.time - a.time)
    .map(({ part }) => part)
}

/** One part with all files, on the database of the caller. */
export const onePart = (where: string, files: string[]): Part => ({
  where,
  files,
  hasCheapHashes: false,
  isEmbedded: false,
})

export { DEEP as isDeep, DURATIONS }
