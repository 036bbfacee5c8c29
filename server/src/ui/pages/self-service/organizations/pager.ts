/** Links to the pages before and after a page of a list. */

import { type Locale, textsOf } from '../../../../texts/texts.ts'
import { type Content, html } from '../../../html.ts'

type Paged = {
  locale: Locale
  filters: { page: number; search?: string; status?: string | undefined }
  hasNext: boolean
}

export function pager({ locale, filters, hasNext }: Paged, at: string, label: string): Content {
  const { page, search, status } = filters
  if (page === 1 && !hasNext) return undefined
  const texts = textsOf(locale, 'organization')
  const link = (to: number, rel: 'prev' | 'next', text: string) => {
    const query = new URLSearchParams({
      ...(search && { search }),
      ...(status && { status }),
      page: String(to),
    })
    return html`<a class="button quiet" href="${at}?${String(query)}" rel="${rel}">${text}</a>`
  }
  return html`<nav class="pager" aria-label="${label}">
${page > 1 && link(page - 1, 'prev', texts.previous)}
${hasNext && link(page + 1, 'next', texts.next)}
</nav>`
}
