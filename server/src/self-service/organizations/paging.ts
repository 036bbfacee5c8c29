/** The pages of a list. */
export const PAGE_SIZE = 50

/** The admin API has the same limit (http/schemas.ts). */
const PAGE_MAX = 1_000_000_000

/** The number of the page in an address; the first one if it is invalid. */
export function pageNumberOf(query: unknown): number {
  const page = Number((query as { page?: unknown }).page)
  return Number.isInteger(page) && page >= 1 && page <= PAGE_MAX ? page : 1
}
