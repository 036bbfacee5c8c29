import type { ReactNode } from 'react'

/** A link to the documentation that the server shows. `page`: the name of a page; by default the index. */
export const Guide = ({ page, children }: { page?: string; children: ReactNode }) => (
  <a href={page === undefined ? '/docs/guide' : `/docs/guide/${page}`} target="_blank" rel="noreferrer">
    {children}
  </a>
)
