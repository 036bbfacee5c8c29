/** Pages of lists and search patterns. */

export const MAX_PAGE_SIZE = 100

/**
 * The last row of a page: its time in µs since 1970, or its position in a list that has one instead, and its
 * id. `seen`: the number of rows up to it. `total`: the number of rows that the pages up to it have stated.
 */
export type ListPlace = { time: string; id: string; seen: number; total: number }

/** `page` counts from 1. `order`: the oldest first; without it the newest. `after`: the page before. */
export type PageRequest = {
  page: number
  pageSize: number
  order?: 'createdAt' | undefined
  after?: ListPlace | undefined
}

/** LIMIT and OFFSET of a page. A page after a place skips no rows. */
export function slice({ page, pageSize, after }: PageRequest): { limit: number; offset: number } {
  const limit = Math.min(pageSize, MAX_PAGE_SIZE)
  return { limit, offset: after ? 0 : (page - 1) * limit }
}

/** An SQL LIKE pattern that matches `text` anywhere; % and _ in it are literal. */
export const containing = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`
