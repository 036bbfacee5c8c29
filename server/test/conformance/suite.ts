/** The API of a running conformance suite, as far as the run needs it. */
import { FORWARDED } from './processes.ts'

export type Module = { testModule: string; variant?: Record<string, string> }
export type Status = 'CREATED' | 'CONFIGURED' | 'RUNNING' | 'WAITING' | 'FINISHED' | 'INTERRUPTED'
/** An address that the user has to open. */
export type Visit = { url: string; method: string }
/** A picture of a page that a module demands. */
export type Demand = { placeholder: string; text: string }
export type Verdict = {
  result: 'PASSED' | 'WARNING' | 'REVIEW' | 'SKIPPED' | 'FAILED' | 'UNKNOWN'
  status: Status
  /** The warnings and failures. */
  notes: string[]
}
type LogEntry = { src: string; msg?: string; result?: string; upload?: string; img?: string }

export type Suite = ReturnType<typeof suiteAt>

export function suiteAt(origin: string) {
  async function call(method: string, path: string, query: Record<string, string> = {}, body?: string) {
    const response = await fetch(`${origin}/api/${path}?${new URLSearchParams(query)}`, {
      method,
      headers: { ...FORWARDED, 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  return {
    async createPlan(
      planName: string,
      variant: object,
      configuration: object,
    ): Promise<{ id: string; modules: Module[] }> {
      const query = { planName, variant: JSON.stringify(variant) }
      return call('POST', 'plan', query, JSON.stringify(configuration))
    },
    /** Creates an instance of a module, which starts by itself. Returns its id. */
    async createModule(plan: string, { testModule, variant = {} }: Module): Promise<string> {
      const query = { test: testModule, plan, variant: JSON.stringify(variant) }
      return (await call('POST', 'runner', query)).id
    },
    status: async (id: string): Promise<Status> => (await call('GET', `info/${id}`)).status,
    nextVisit: async (id: string): Promise<Visit | undefined> =>
      (await call('GET', `runner/${id}`)).browser?.urlsWithMethod[0],
    markVisited: (id: string, url: string) => call('POST', `runner/browser/${id}/visit`, { url }),
    stop: (id: string) => call('DELETE', `runner/${id}`),
    async demand(id: string): Promise<Demand | undefined> {
      const entries: LogEntry[] = await call('GET', `log/${id}/images`)
      const open = entries.find(({ upload, img }) => upload && !img)
      return open && { placeholder: open.upload!, text: open.msg ?? '' }
    },
    upload: (id: string, { placeholder }: Demand, png: Buffer) =>
      call('POST', `log/${id}/images/${placeholder}`, {}, `data:image/png;base64,${png.toString('base64')}`),
    async verdict(id: string): Promise<Verdict> {
      const { status, result } = await call('GET', `info/${id}`)
      const entries: LogEntry[] = await call('GET', `log/${id}`)
      const notes = entries
        .filter((entry) => entry.result === 'WARNING' || entry.result === 'FAILURE')
        .map(({ src, msg, result }) => `${result} ${src}: ${msg}`)
      return { status, result, notes }
    },
  }
}
