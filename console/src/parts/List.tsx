import { type ReactNode, useState } from 'react'
import { count, fill, formatNumber, texts } from '../texts/texts.ts'
import { Failed } from './Failed.tsx'
import { type Filter, Filters, SearchField } from './Filters.tsx'
import { Icon } from './Icon.tsx'
import { EXPORTED_MAX, ListExport, type PagedCall } from './ListExport.tsx'
import type { PageLink } from './links.ts'
import { Menu, MenuItem } from './Menu.tsx'
import { Empty } from './Page.tsx'
import { listOf, usePageSearch } from './search.ts'
import { type Column, type Selection, type Sorting, Table } from './Table.tsx'
import './List.css'

type Listed<Row> = { data: Row[]; page: number; pageSize: number; total: number }

type Props<Row> = {
  /** Names the list, for screen readers and for the columns that the user has chosen. */
  label: string
  name: string
  query: {
    data: Listed<Row> | undefined
    error: unknown
    isPlaceholderData: boolean
    refetch: () => unknown
  }
  /** The operation that reads it. */
  call: PagedCall
  columns: readonly Column<Row>[]
  idOf: (row: Row) => string
  nameOf: (row: Row) => string
  linkOf?: (row: Row) => PageLink
  onOpen?: (row: Row) => void
  menu?: (row: Row) => ReactNode
  /** The label of the search field; without it there is none. */
  search?: string
  filters?: readonly Filter[]
  /** Instead of an empty list without filters. */
  empty: ReactNode
  /** What is done with the selected rows. */
  bulk?: (ids: readonly string[], clear: () => void) => ReactNode
}

const PAGE_SIZES = [25, 50, 100]

/** The parameters of a list that its address has: page, size, order, search and the filters. */
export function useListQuery(filters: readonly Filter[] = []) {
  const { search } = usePageSearch()
  return listOf(search, [...filters.map(({ name }) => name), 'sort'])
}

/** A list of the admin API: search, filters, table, pages. */
export function List<Row>(props: Props<Row>) {
  const { label, query, columns, search, filters = [], empty, bulk, idOf } = props
  const { text } = usePageSearch()
  const shown = useColumns(props.name, columns)
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const sorting = useSorting()
  const { data, error } = query
  if (error && !data) return <Failed error={error} onRetry={() => void query.refetch()} />
  const isFiltered = text('search') !== '' || filters.some(({ name }) => text(name) !== '')
  if (data?.total === 0 && !isFiltered) return empty
  const toggle: Selection['toggle'] = (changed, selected) =>
    setIds(
      (before) => new Set([...before].filter((id) => !changed.includes(id)).concat(selected ? changed : [])),
    )
  const selected = (data?.data ?? []).map(idOf).filter((id) => ids.has(id))
  return (
    <>
      <search className="toolbar" aria-label={label}>
        {search !== undefined && <SearchField label={search} />}
        <Filters filters={filters} />
        <span className="spacer" />
        <ListMenu {...props} shown={shown} />
      </search>
      {selected.length > 0 && bulk && <div className="bulk">{bulk(selected, () => setIds(new Set()))}</div>}
      {data && data.data.length > 0 && (
        <Table
          {...props}
          columns={shown.columns}
          rows={data.data}
          isStale={query.isPlaceholderData}
          selection={bulk && { ids, toggle }}
          sorting={sorting}
        />
      )}
      {data?.data.length === 0 && (
        <Empty title={texts.parts.none}>
          <p>{texts.parts.noneLead}</p>
        </Empty>
      )}
      {data && data.total > PAGE_SIZES[0]! && <Pages {...data} count={data.data.length} />}
    </>
  )
}

/** The order of the list, which its address has. */
function useSorting(): Sorting {
  const { text, set } = usePageSearch()
  const [by, order] = [text('sort') || 'createdAt', text('order')]
  return {
    of: (key) => (key !== by ? undefined : order === 'createdAt' ? 'ascending' : 'descending'),
    toggle: (key) => {
      const isNewest = by === 'createdAt' && order === ''
      const oldest = key === 'createdAt' && isNewest ? key : undefined
      set({ sort: key === 'createdAt' ? undefined : key, order: oldest }, { replace: true })
    },
  }
}

type Columns<Row> = {
  columns: Column<Row>[]
  isShown: (key: string) => boolean
  toggle: (key: string) => void
}

/** The columns that the user has chosen, stored in this browser. */
function useColumns<Row>(name: string, columns: readonly Column<Row>[]): Columns<Row> {
  const key = `tenantry.columns.${name}`
  const [changed, setChanged] = useState<string[]>(() => JSON.parse(localStorage.getItem(key) ?? '[]'))
  const isShown = (each: string) =>
    changed.includes(each) === (columns.find((column) => column.key === each)?.isExtra === true)
  return {
    columns: columns.filter((column) => isShown(column.key)),
    isShown,
    toggle: (each) => {
      const next = changed.includes(each) ? changed.filter((other) => other !== each) : [...changed, each]
      localStorage.setItem(key, JSON.stringify(next))
      setChanged(next)
    },
  }
}

/** The menu of a list: which columns are shown, and the rows as a file. */
function ListMenu<Row>({ columns, shown, query, label, call }: Props<Row> & { shown: Columns<Row> }) {
  const t = texts.parts
  const [isExporting, setExporting] = useState(false)
  const total = query.data?.total ?? 0
  return (
    <>
      <Menu
        trigger={
          <button type="button" className="icon-button" aria-label={`${t.more}: ${label}`}>
            <Icon name="more" />
          </button>
        }
      >
        <fieldset className="columns">
          <legend>{t.columns}</legend>
          {columns.slice(1).map(({ key, title }) => (
            <label key={key}>
              <input type="checkbox" checked={shown.isShown(key)} onChange={() => shown.toggle(key)} />
              {title}
            </label>
          ))}
        </fieldset>
        <MenuItem disabled={total === 0} onClick={() => setExporting(true)}>
          {total > EXPORTED_MAX
            ? fill(t.exportFirst, { count: formatNumber(EXPORTED_MAX) })
            : count(t.exportCsv, total)}
        </MenuItem>
      </Menu>
      {isExporting && <ListExport {...{ label, call, total }} onClose={() => setExporting(false)} />}
    </>
  )
}

/** Up to here the number of items is exact. */
const COUNTED = 10_000

function Pages({ page, pageSize, total, count }: Omit<Listed<unknown>, 'data'> & { count: number }) {
  const { set } = usePageSearch()
  const first = (page - 1) * pageSize + 1
  const all =
    total > COUNTED ? fill(texts.parts.moreThan, { total: formatNumber(COUNTED) }) : formatNumber(total)
  const range = fill(texts.parts.rows, {
    from: formatNumber(count === 0 ? 0 : first),
    to: formatNumber(first + count - 1),
    total: all,
  })
  return (
    <div className="pages">
      <label>
        {texts.parts.pageSize}{' '}
        <select value={pageSize} onChange={(event) => set({ pageSize: Number(event.target.value) })}>
          {PAGE_SIZES.map((size) => (
            <option key={size}>{size}</option>
          ))}
        </select>
      </label>
      <span role="status">{range}</span>
      <button
        type="button"
        className="icon-button"
        aria-label={texts.parts.previous}
        disabled={page <= 1}
        onClick={() => set({ page: page - 1 > 1 ? page - 1 : undefined })}
      >
        <Icon name="left" />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={texts.parts.next}
        disabled={page * pageSize >= total}
        onClick={() => set({ page: page + 1 })}
      >
        <Icon name="right" />
      </button>
    </div>
  )
}
