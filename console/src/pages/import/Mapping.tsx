import { texts } from '../../texts/texts.ts'
import { FIELDS, type Use } from './read.ts'
import './ImportPage.css'

type Props = { header: readonly string[]; uses: readonly Use[]; onChange: (uses: Use[]) => void }

/** What each column of the file is. */
export function Mapping({ header, uses, onChange }: Props) {
  const t = texts.imports
  return (
    <section className="panel">
      <h2>{t.mapping}</h2>
      <p className="muted">{t.mappingLead}</p>
      <div className="mapping">
        {header.map((title, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two columns can have the same title
          <label key={index}>
            <span>{title || index + 1}</span>
            <select
              value={uses[index]}
              onChange={(event) => onChange(uses.with(index, event.target.value as Use))}
            >
              <option value="">{t.notUsed}</option>
              {FIELDS.map((field) => (
                <option key={field} value={field} disabled={uses.includes(field) && uses[index] !== field}>
                  {t.fields[field]}
                </option>
              ))}
              <option value="metadata">{t.intoMetadata}</option>
            </select>
          </label>
        ))}
      </div>
    </section>
  )
}
