/** The results as a bar chart: CPU time of our server and of oidc-provider alone, per path. */
import { PATHS } from './paths.ts'
import { doubtsOf, median, type Results, type Run } from './results.ts'

/** In pixels, like all numbers in this file. */
const WIDTH = 760
const LEFT = 190
const BARS = 430
const ROW = 20
const GROUP = 58
const TOP = 66

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 15px; font-weight: 600 }
  .quiet { fill: #59636e }
  .ours { fill: #2f5fd0 } .ours.postgres { fill: #9db7f2 }
  .provider { fill: #6e7781 } .provider.postgres { fill: #c4cad0 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .quiet { fill: #9198a1 }
    .ours { fill: #6f9bff } .ours.postgres { fill: #35528f }
    .provider { fill: #8b949e } .provider.postgres { fill: #444c56 }
  }`

const DRAWN = [
  ['ours', 'Tenantry'],
  ['provider', 'oidc-provider'],
] as const

type Bar = { name: (typeof DRAWN)[number][0]; label: string; server: number; postgres: number }

const barsOf = (runs: Record<string, Run[]>): Bar[] =>
  DRAWN.map(([name, label]) => {
    const of = (value: (run: Run) => number) => median((runs[name] ?? []).map(value))
    return { name, label, server: of((run) => run.serverCpu), postgres: of((run) => run.postgresCpu) }
  })

/** Rounds to three significant digits, the precision of the measurement. */
const figure = (seconds: number) =>
  seconds >= 10 ? seconds.toFixed(1) : seconds.toFixed(seconds >= 1 ? 2 : 3)
const text = (x: number, y: number, words: string, more = '') =>
  `<text x="${x}" y="${y}"${more}>${words}</text>`
const rect = (x: number, y: number, width: number, kind: string) =>
  `<rect class="${kind}" x="${x.toFixed(1)}" y="${y}" width="${Math.max(0, width).toFixed(1)}" height="${ROW - 5}" rx="1.5"/>`

/** The bars of a path share one scale; the longer one has the full width. */
function group(path: string, bars: Bar[], top: number): string[] {
  const scale = BARS / Math.max(...bars.map(({ server, postgres }) => server + postgres))
  const rows = bars.flatMap(({ name, label, server, postgres }, row) => {
    const y = top + row * ROW
    const end = LEFT + (server + postgres) * scale
    return [
      rect(LEFT, y, server * scale, name),
      rect(LEFT + server * scale, y, postgres * scale, `${name} postgres`),
      text(end + 8, y + 12, `${figure(server + postgres)} <tspan class="quiet">${label}</tspan>`),
    ]
  })
  return [text(0, top + 22, PATHS[path]!.title), ...rows]
}

/** An SVG with light and dark color schemes. */
export function draw({ paths, machine, commit, date }: Results): string {
  const drawn = Object.entries(paths).filter(([, runs]) => runs.ours && runs.provider)
  const height = TOP + drawn.length * GROUP + 24
  const runs = drawn.flatMap(([, { ours = [], provider = [] }]) => [...ours, ...provider])
  const doubtful = runs.filter((run) => doubtsOf(run).length > 0).length
  const doubt = doubtful === 0 ? '' : `; ${doubtful} of ${runs.length} runs doubtful`
  const about = `${machine.cpu}, ${machine.cores}, ${machine.node}, ${machine.postgres}; ${commit}, ${date.slice(0, 10)}${doubt}`
  const lines = [
    `<title>Processor seconds for 1,000 operations, Tenantry and oidc-provider</title>`,
    `<style>${STYLE}</style>`,
    text(0, 18, 'Processor seconds for 1,000 operations: less is better', ' class="title"'),
    text(
      0,
      40,
      'The first part of a bar is the server, the second PostgreSQL. Both bars of a path have the same scale.',
      ' class="quiet"',
    ),
    ...drawn.flatMap(([path, runs], index) => group(path, barsOf(runs), TOP + index * GROUP)),
    text(0, height - 8, about, ' class="quiet"'),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">\n${lines.join('\n')}\n</svg>\n`
}
