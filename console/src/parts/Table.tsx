import { Link } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import { fill, texts } from '../texts/texts.ts'
import { Icon } from './Icon.tsx'
import type { PageLink } from './links.ts'
import './Table.css'

export type Column<Row> = {
  key: string
  title: string
  cell: (row: Row) => ReactNode
  /** Shown only when the user has chosen it. */
  isExtra?: boolean
  isNumber?: boolean
  /** How the API can sort by it: `createdAt` in both directions, others the latest first. */
  sort?: SortKey
}

export type SortKey = 'createdAt' | 'updatedAt' | 'lastLoginAt'

export type Sorting = {
  of: (key: SortKey) => 'ascending' | 'descending' | undefined
  toggle: (key: SortKey) => void
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
  sorting?: Sorting | undefined
  /** Older rows are shown while newer ones are read. */
  isStale?: boolean
}

/** A table; on a narrow screen its rows are cards. */
export function Table<Row>(props: Props<Row>) {
  const { label, columns, rows, idOf, nameOf, menu, selection, sorting, isStale = false } = props
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
            {columns.map((column) => (
              <Head key={column.key} column={column} sorting={sorting} />
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

/** The title of a column: a button if the list can be sorted by it. */
function Head<Row>({ column, sorting }: { column: Column<Row>; sorting: Sorting | undefined }) {
  const { title, isNumber, sort } = column
  const className = isNumber ? 'number' : undefined
  if (!sorting || !sort)
    return (
      <th scope="col" className={className}>
        {title}
      </th>
    )
  const order = sorting.of(sort)
  return (
    <th scope="col" className={className} aria-sort={order}>
      <button type="button" className="sort" onClick={() => sorting.toggle(sort)}>
        {title}
        <Icon name={order === 'ascending' ? 'up' : 'down'} />
      </button>
    </th>
  )
}

/** Opens a row by a click beside its controls, unless text was selected. */
function openRow({ currentTarget, target }: MouseEvent<HTMLTableRowElement>) {
  if (!(target instanceof Element) || !currentTarget.contains(target)) return // in a dialog of the row
  if (target.closest('a, button, input, label, select, summary, dialog, [popover], [role=menu]')) return
  if (getSelection()?.isCollapsed === false) return
  const opener = currentTarget.querySelector<HTMLElement>('.opener')
  opener?.focus({ preventScroll: true }) // a dialog returns the focus to it
  opener?.click()
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
