import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatNumber, tag, texts } from '../texts/texts.ts'
import { useScheme } from './scheme.ts'
import './Chart.css'
import './Table.css'

export type Series = { key: string; title: string; color: string; values: readonly number[] }

type Props = {
  label: string
  /** The starts of the buckets, in seconds since 1970. */
  times: readonly number[]
  series: readonly Series[]
  step: 'hour' | 'day'
}

/** 200 CSS pixels. */
const HEIGHT = 200

/** The days are those of UTC. */
const dateFormat = (step: 'hour' | 'day', fields: Intl.DateTimeFormatOptions = {}) =>
  new Intl.DateTimeFormat(tag, {
    month: 'short',
    day: 'numeric',
    ...fields,
    ...(step === 'day' && { timeZone: 'UTC' }),
  })

const formatOf = (step: 'hour' | 'day') =>
  dateFormat(step, step === 'hour' ? { hour: 'numeric', minute: '2-digit' } : {})

/** Lines over time, and the same numbers as a table: a screen reader cannot read the drawing. */
export default function Chart(props: Props) {
  const { label, series } = props
  const [isTable, setTable] = useState(false)
  return (
    <figure className="chart">
      <figcaption>
        <ul>
          {series.map(({ key, title, color }) => (
            <li key={key}>
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <circle cx="5" cy="5" r="5" fill={`var(${color})`} />
              </svg>
              {title}
            </li>
          ))}
        </ul>
        <button type="button" className="link" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? texts.parts.chart : texts.parts.table}
        </button>
      </figcaption>
      {isTable ? <Numbers {...props} /> : <Lines {...props} />}
      <span className="only-read">{label}</span>
    </figure>
  )
}

function Lines({ times, series, step }: Props) {
  const ref = useRef<HTMLDivElement>(null)
  const scheme = useScheme()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colors are those of the scheme
  useEffect(() => {
    const box = ref.current
    if (!box) return
    const style = getComputedStyle(box)
    const colorOf = (name: string) => colorIn(box, style.getPropertyValue(name))
    const axis = {
      stroke: colorOf('--muted'),
      grid: { stroke: colorOf('--line'), width: 1 },
      ticks: { show: false },
    }
    const format = dateFormat(step)
    const plot = new uPlot(
      {
        width: box.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false },
        ...(step === 'day' && { tzDate: (at: number) => uPlot.tzDate(new Date(at * 1_000), 'UTC') }),
        axes: [
          { ...axis, incrs: DAYS, values: (_, splits) => splits.map((at) => format.format(at * 1_000)) },
          {
            ...axis,
            size: 44,
            values: (_, splits) => splits.map((each) => formatNumber(each)),
            incrs: INCREMENTS,
          },
        ],
        scales: { y: { range: (_, __, most) => [0, Math.max(4, most * 1.1)] } },
        series: [
          {},
          ...series.map(({ title, color }) => ({
            label: title,
            stroke: colorOf(color),
            width: 2,
            points: { show: false },
          })),
        ],
      },
      [[...times], ...series.map(({ values }) => [...values])],
      box,
    )
    const resize = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: HEIGHT }))
    resize.observe(box)
    return () => {
      resize.disconnect()
      plot.destroy()
    }
  }, [times, series, step, scheme])
  return <div ref={ref} aria-hidden="true" />
}

/** The steps of the time axis: 1, 2, 7 and 30 days, in seconds. */
const DAYS = [86_400, 172_800, 604_800, 2_592_000]

/** Whole numbers. */
const INCREMENTS = [1, 2, 5]
  .flatMap((base) => [0, 1, 2, 3, 4, 5, 6, 7].map((power) => base * 10 ** power))
  .sort((a, b) => a - b)

/** A color as the canvas reads it: `light-dark()` is resolved. */
function colorIn(box: HTMLElement, color: string): string {
  const probe = document.createElement('span')
  probe.style.color = color
  box.append(probe)
  const resolved = getComputedStyle(probe).color
  probe.remove()
  return resolved
}

function Numbers({ label, times, series, step }: Props) {
  const format = formatOf(step)
  return (
    <div className="numbers">
      <table aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{texts.parts.time}</th>
            {series.map(({ key, title }) => (
              <th key={key} scope="col" className="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((at, index) => (
            <tr key={at}>
              <th scope="row">{format.format(at * 1_000)}</th>
              {series.map(({ key, values }) => (
                <td key={key} className="number">
                  {formatNumber(values[index] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
