import { texts } from '../../texts/texts.ts'
import { useNames } from '../names.ts'
import type { Entry } from './Sentence.tsx'
import '../Table.css'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/

const isId = (value: unknown): value is string => typeof value === 'string' && UUID.test(value)

type Props = Pick<Entry, 'changes'> & {
  /** Otherwise nothing was changed: the values say more about it. */
  isChange: boolean
}

/** Each changed field with its value before and after. */
export function Changes({ changes, isChange }: Props) {
  const t = texts.audit
  const fields = Object.entries(changes)
  const names = useNames(fields.flatMap(([, values]) => values.flat().filter(isId)))
  if (fields.length === 0) return null
  const shown = (value: unknown): string => {
    if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return t.none
    if (typeof value === 'boolean') return value ? texts.parts.yes : texts.parts.no
    if (Array.isArray(value)) return value.map(shown).join(', ')
    if (isId(value)) return names.of(value)?.name ?? value
    return typeof value === 'object' ? JSON.stringify(value, null, 1) : String(value)
  }
  return (
    <section>
      <h3>{isChange ? t.changes : t.details}</h3>
      <div className="table">
        <table>
          <thead>
            <tr>
              <th scope="col">{t.field}</th>
              {isChange && <th scope="col">{t.before}</th>}
              <th scope="col">{isChange ? t.after : t.value}</th>
            </tr>
          </thead>
          <tbody>
            {fields.map(([field, [before, after]]) => (
              <tr key={field}>
                <td data-title={t.field}>{field}</td>
                {isChange && (
                  <td data-title={t.before} className="muted">
                    {shown(before)}
                  </td>
                )}
                <td data-title={isChange ? t.after : t.value}>{shown(after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
