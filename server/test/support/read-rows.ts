/** How many rows PostgreSQL reads for a list, by the plans of its statements: a time would be no bound. */
import pg from 'pg'

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

type Query = (this: pg.Client, ...given: unknown[]) => unknown
type Sent = { client: pg.Client; text: string; values: unknown[] }

/** The statement that selects the places of a page. */
const isOfList = (text: string) => text.includes(' as places')

/** Rows that are scanned in the table, or in all tables, and their indexes, matching or not. */
function rowsOf(plan: Plan, table: string | undefined): number {
  const read =
    plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  const name = plan['Relation Name']
  const isCounted = name !== undefined && (table === undefined || name === table)
  const own = isCounted ? read * plan['Actual Loops'] : 0
  return (plan.Plans ?? []).reduce((sum, part) => sum + rowsOf(part, table), own)
}

/** Sends a request for a list, and executes its statements again to read their plans. */
export async function rowsRead(request: () => Promise<unknown>, table?: string): Promise<number> {
  const sent: Sent[] = []
  const prototype = pg.Client.prototype as unknown as { query: Query }
  const { query } = prototype
  prototype.query = function (...given) {
    const [first, values] = given as [string | { text?: string; values?: unknown[] }, unknown[] | undefined]
    const { text = '', values: own = [] } = typeof first === 'string' ? { text: first } : first
    if (isOfList(text)) sent.push({ client: this, text, values: Array.isArray(values) ? values : own })
    return query.apply(this, given)
  }
  await request().finally(() => {
    prototype.query = query
  })
  if (sent.length === 0) throw new Error('The request has read no list.')
  let rows = 0
  for (const { client, text, values } of sent) {
    // A small table would be read as a whole, although an index finds the rows.
    await client.query('set enable_seqscan = off')
    const explained = await client
      .query(`explain (analyze, format json) ${text}`, values)
      .finally(() => client.query('reset enable_seqscan'))
    const [{ Plan }] = explained.rows[0]['QUERY PLAN'] as [{ Plan: Plan }]
    rows += rowsOf(Plan, table)
  }
  return Math.round(rows)
}
