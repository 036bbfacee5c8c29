import { csvOf, download } from '../../parts/csv.ts'
import { fill, formatNumber, texts } from '../../texts/texts.ts'
import type { Refused } from './slices.ts'
import '../../parts/Table.css'

/** The file has all of them. */
const SHOWN = 100

export function RefusedLines({ refused, name }: { refused: readonly Refused[]; name: string }) {
  const t = texts.imports
  const save = () =>
    download(`${name.replace(/\.\w+$/, '')}-refused.csv`, csvOf(refused.map(({ code, ...rest }) => rest)))
  return (
    <section className="stack">
      <header className="panel-head">
        <h2>{t.refusedTitle}</h2>
        <button type="button" onClick={save}>
          {t.saveRefused}
        </button>
      </header>
      {refused.length > SHOWN && (
        <p className="muted">
          {fill(t.refusedMore, { shown: formatNumber(SHOWN), all: formatNumber(refused.length) })}
        </p>
      )}
      <div className="table">
        <table>
          <thead>
            <tr>
              <th scope="col" className="number">
                {t.line}
              </th>
              <th scope="col">{t.email}</th>
              <th scope="col">{t.why}</th>
            </tr>
          </thead>
          <tbody>
            {refused.slice(0, SHOWN).map(({ line, email, why }) => (
              <tr key={line}>
                <td data-title={t.line} className="number">
                  {line}
                </td>
                <td data-title={t.email}>{email}</td>
                <td data-title={t.why}>{why}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
