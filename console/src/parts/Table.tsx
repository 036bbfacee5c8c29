import { Link } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import { fill, texts } from '../texts/texts.ts'
import type { PageLink } from './links.ts'
import './Table.css'

export type Column<Row> = {
  key: string
  title: string
  cell: (row: Row) => ReactNode
  /** Shown only when the user has chosen it. */
  isExtra?: boolean
  isNumber?: boolean
}

export type Selection = {
  ids: ReadonlySet<string>
  toggle: (ids: readonly string[], selected: boolean) => void
}

type Props<Row> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  idOf: (row: Row) => string
  /** The page of a row: the first column links to it. */
  linkOf?: ((row: Row) => PageLink) | undefined
  /** Instead of a link: the first column is a button. */
  onOpen?: ((row: Row) => void) | undefined
  /** Rows for which the button is missing. Default: none. */
  canOpen?: ((row: Row) => boolean) | undefined
  nameOf: (row: Row) => string
  menu?: ((row: Row) => ReactNode) | undefined
  selection?: Selection | undefined
  /** Older rows are shown while newer ones are read. */
  isStale?: boolean
}

/** A table; on a narrow screen its rows are cards. */
export function Table<Row>(props: Props<Row>) {
  const { label, columns, rows, idOf, nameOf, menu, selection, isStale = false } = props
  const ids = rows.map(idOf)
  const all = selection !== undefined && ids.length > 0 && ids.every((id) => selection.ids.has(id))
  return (
    <div className="table" data-stale={isStale || undefined}>
      <table aria-label={label} aria-busy={isStale}>
        <thead>
          <tr>
            {selection && (
              <th className="tick">
                <input
                  type="checkbox"
                  aria-label={texts.parts.selectAll}
                  checked={all}
                  onChange={(event) => selection.toggle(ids, event.target.checked)}
                />
              </th>
            )}
            {columns.map(({ key, title, isNumber }) => (
              <th key={key} scope="col" className={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
            {menu && (
              <th className="row-menu">
                <span className="only-read">{texts.parts.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={idOf(row)} onClick={openRow}>
              {selection && (
                <td className="tick">
                  <input
                    type="checkbox"
                    aria-label={fill(texts.parts.select, { name: nameOf(row) })}
                    checked={selection.ids.has(idOf(row))}
                    onChange={(event) => selection.toggle([idOf(row)], event.target.checked)}
                  />
                </td>
              )}
              {columns.map((column, index) => (
                <td
                  key={column.key}
                  data-title={column.title}
                  className={column.isNumber ? 'number' : undefined}
                >
                  {index === 0 ? <Opener {...props} row={row} column={column} /> : column.cell(row)}
                </td>
              ))}
              {menu && <td className="row-menu">{menu(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Opens a row by a click beside its controls, unless text was selected. */
function openRow({ currentTarget, target }: MouseEvent<HTMLTableRowElement>) {
  if (!(target instanceof Element) || !currentTarget.contains(target)) return // in a dialog of the row
  if (target.closest('a, button, input, label, select, summary, dialog, [popover], [role=menu]')) return
  if (getSelection()?.isCollapsed === false) return
  currentTarget.querySelector<HTMLElement>('.opener')?.click()
}

/** The first cell of a row, which opens it. */
function Opener<Row>({
  row,
  column,
  linkOf,
  onOpen,
  canOpen,
}: Props<Row> & { row: Row; column: Column<Row> }) {
  const content = column.cell(row)
  if (linkOf)
    return (
      <Link className="opener" {...linkOf(row)}>
        {content}
      </Link>
    )
  if (!onOpen || canOpen?.(row) === false) return content
  return (
    <button type="button" className="opener" onClick={() => onOpen(row)}>
      {content}
    </button>
  )
}
