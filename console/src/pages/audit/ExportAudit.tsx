import { useMutation } from '@tanstack/react-query'
import { addressOf } from '../../../../sdk/src/operations.ts'
import { readText } from '../../api/call.ts'
import { useContextKey } from '../../api/queries.ts'
import { download } from '../../parts/csv.ts'
import { messageOf } from '../../parts/Failed.tsx'
import type { Filter } from '../../parts/Filters.tsx'
import { useListQuery } from '../../parts/List.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { texts } from '../../texts/texts.ts'

/** Saves the entries that match the filters, not only those of the page. */
export function ExportAudit({ filters }: { filters: readonly Filter[] }) {
  const context = useContextKey()
  const toast = useToast()
  const { page, pageSize, ...query } = useListQuery(filters)
  const save = useMutation({
    mutationFn: async () => {
      const address = addressOf('/admin/audit/export', { query })
      download('audit.ndjson', await readText(context, address), 'application/x-ndjson')
    },
    onError: (error) => toast(messageOf(error)),
  })
  return (
    <button
      type="button"
      title={texts.audit.exportLead}
      aria-disabled={save.isPending}
      onClick={() => !save.isPending && save.mutate()}
    >
      {save.isPending ? texts.parts.exporting : texts.audit.export}
    </button>
  )
}
