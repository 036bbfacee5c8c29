/**
 * Pages of the lists of the admin API, by number or by cursor (decision 0210).
 *
 * A cursor is a place in one list. It is not signed: it grants nothing. The filters and the reach of the
 * caller apply to each request, and a place that somebody invents is a place at which they could have
 * arrived.
 */
import { hash } from 'node:crypto'
import type { Listed } from '../database/lists.ts'
import { type ListPlace, MAX_PAGE_SIZE, type PageRequest } from '../database/pages.ts'
import { invalid } from '../errors.ts'
import type { Docs } from './docs.ts'

/** `list`: what a cursor is of. */
export type ListRequest = PageRequest & { list: string }

type Query = { page: number; pageSize: number; order?: 'createdAt'; cursor?: string }
type Request = {
  url: string
  params: unknown
  query: Query
  routeOptions: { config: { docs?: Docs }; schema?: { querystring?: unknown } | undefined }
}

/** A part of the list, its order, the number of the page, and the last row of the page before. */
const CURSOR =
  /^(?<list>[\w-]{12})\.(?<order>[no])\.(?<page>[1-9]\d{0,9})\.(?<time>0|-?[1-9]\d{0,15})\.(?<id>[\w-]{1,64})\.(?<seen>\d{1,12})\.(?<total>\d{1,12})$/

const TEXT_MAX = 300

/**
 * The page that a request asks for. Throws `invalid_request` for a cursor of another list, of other filters
 * or of another order, and for one that contradicts `page`.
 */
export function pageRequestOf(request: Request): ListRequest {
  const { page, pageSize, order, cursor } = request.query
  if (order !== undefined && 'sort' in request.query && request.query.sort !== order)
    throw invalid('/query/order', 'cannot be combined with this `sort`')
  const list = listOf(request)
  if (cursor === undefined) return { page, pageSize, order, list }
  const read = readCursor(cursor)
  if (!read) throw invalid('/query/cursor', 'is not the `nextCursor` of a list')
  if (read.list !== list) throw invalid('/query/cursor', 'is of another list or of other filters')
  if (read.order !== order) throw invalid('/query/cursor', 'is of another `order`')
  if (hasPage(request.url) && read.page !== page) throw invalid('/query/cursor', 'is not of this `page`')
  return { page: read.page, pageSize, order, list, after: read.after }
}

/** The default of `page` is not a page that somebody asks for. */
const hasPage = (url: string) => new URLSearchParams(url.replace(/^[^?]*/, '')).has('page')

const OF_PAGE = ['page', 'pageSize', 'order', 'cursor']

/** Identifies the list: its operation, the parameters of its path, and its filters. */
function listOf({ params, query, routeOptions: { config, schema } }: Request): string {
  const { properties = {} } = (schema?.querystring ?? {}) as { properties?: Record<string, unknown> }
  const filters = Object.entries(query).filter(([name]) => name in properties && !OF_PAGE.includes(name))
  const identity = [
    config.docs?.operationId,
    params,
    filters.sort(([one], [other]) => (one < other ? -1 : 1)),
  ]
  return hash('sha256', JSON.stringify(identity), 'base64url').slice(0, 12)
}

type Cursor = { list: string; order: PageRequest['order']; page: number; after: ListPlace }

function readCursor(text: string): Cursor | undefined {
  if (text.length > TEXT_MAX) return undefined
  const read = CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1'))?.groups
  if (!read) return undefined
  const { list = '', order, page, time = '', id = '', seen, total } = read
  const cursor = {
    list,
    order: order === 'o' ? ('createdAt' as const) : undefined,
    page: Number(page),
    after: { time, id, seen: Number(seen), total: Number(total) },
  }
  return writeCursor(cursor) === text ? cursor : undefined
}

function writeCursor({ list, order, page, after: { time, id, seen, total } }: Cursor): string {
  const parts = [list, order === undefined ? 'n' : 'o', page, time, id, seen, total]
  return Buffer.from(parts.join('.')).toString('base64url')
}

/** The response of a list: `data` has an item for each row. */
export function pageOf<T>(
  { page, pageSize, order, list }: ListRequest,
  { total, next }: Pick<Listed<unknown>, 'total' | 'next'>,
  data: T[],
): { data: T[]; page: number; pageSize: number; total: number; nextCursor: string | null } {
  const nextCursor = next && writeCursor({ list, order, page: page + 1, after: next })
  return { data, page, pageSize: Math.min(pageSize, MAX_PAGE_SIZE), total, nextCursor }
}
