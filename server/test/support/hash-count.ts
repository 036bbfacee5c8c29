/** How many password hashes a server has computed or verified, by its metrics. */
import { adminClient } from './testing.ts'

const METRICS_TOKEN = 'the-token-of-the-hash-count'
/** The settings of a server whose hashes can be counted. */
export const COUNTING = { METRICS_ENABLED: 'true', METRICS_TOKEN }

const COUNT = /^tenantry_password_hash_seconds_count (\d+)$/m

async function countAt(url: string): Promise<number> {
  const { body } = await adminClient(url, METRICS_TOKEN).get('/metrics')
  return Number(COUNT.exec(String(body))![1])
}

/** The number of hashes during `work`. The tests of a process have one counter, so nothing else may run. */
export async function hashesDuring(url: string, work: () => Promise<unknown>): Promise<number> {
  const before = await countAt(url)
  await work()
  return (await countAt(url)) - before
}
