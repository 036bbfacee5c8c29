/** Pages of lists and search patterns. */

export const MAX_PAGE_SIZE = 100

/** `page` counts from 1. */
export type PageRequest = { page: number; pageSize: number }

/** LIMIT and OFFSET of a page. */
export function slice({ page, pageSize }: PageRequest): { limit: number; offset: number } {
  const limit = Math.min(pageSize, MAX_PAGE_SIZE)
  return { limit, offset: (page - 1) * limit }
}

/** An SQL LIKE pattern that matches `text` anywhere; % and _ in it are literal. */
export const containing = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`
