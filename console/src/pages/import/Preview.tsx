import { count, texts } from '../../texts/texts.ts'
import type { Line } from './read.ts'
import '../../parts/Table.css'
import './ImportPage.css'

const SHOWN = 5
const OWN_COLUMNS = ['email', 'name', 'emailVerified']

/** The first users as they will be imported. */
export function Preview({ lines }: { lines: readonly Line[] }) {
  const t = texts.imports
  const restOf = (user: object) =>
    Object.entries(user)
      .filter(([name]) => !OWN_COLUMNS.includes(name))
      .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`)
      .join(', ')
  return (
    <section>
      <h2>
        {t.preview} <span className="muted">· {count(t.lines, lines.length)}</span>
      </h2>
      <div className="table">
        <table>
          <thead>
            <tr>
              <th scope="col">{t.line}</th>
              <th scope="col">{t.email}</th>
              <th scope="col">{t.fields.name}</th>
              <th scope="col">{texts.users.verified}</th>
              <th scope="col">{t.rest}</th>
            </tr>
          </thead>
          <tbody>
            {lines.slice(0, SHOWN).map(({ line, user }) => (
              <tr key={line}>
                <td data-title={t.line}>{line}</td>
                <td data-title={t.email}>{user ? String(user.email ?? '') : t.notJson}</td>
                <td data-title={t.fields.name}>{String(user?.name ?? '')}</td>
                <td data-title={texts.users.verified}>
                  {user?.emailVerified === true ? texts.parts.yes : texts.parts.no}
                </td>
                <td data-title={t.rest} className="muted clip">
                  {user && restOf(user)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
