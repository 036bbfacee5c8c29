import { usePlace } from '../../api/context.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { AuditList } from '../../parts/audit/AuditList.tsx'
import type { Filter } from '../../parts/Filters.tsx'
import { useListQuery } from '../../parts/List.tsx'
import { Page } from '../../parts/Page.tsx'
import { useSources } from '../../parts/sources.ts'
import { textNamed, texts } from '../../texts/texts.ts'
import { ExportAudit } from './ExportAudit.tsx'

/** The known actions by what they are about. */
function actionGroups(): Record<string, Record<string, string>> {
  const groups: Record<string, Record<string, string>> = {}
  for (const action of Object.keys(texts.audit.sentences)) {
    const noun = action.split('.')[0]!
    const group = textNamed(texts.audit.nouns, noun) ?? noun
    groups[group] = { ...groups[group], [action]: action }
  }
  return groups
}

export function AuditPage() {
  const { kind } = usePlace()
  const sources = useSources()
  const t = texts.audit
  const filters: Filter[] = [
    { name: 'action', title: t.action, groups: actionGroups() },
    { name: 'outcome', title: t.outcome, options: t.outcomes },
    { name: 'reason', title: t.reason, options: texts.explain.reasons, isExtra: true },
    { name: 'actor', title: t.actorSearch },
    { name: 'from', title: t.from, type: 'datetime-local', end: 'to' },
    { name: 'to', title: t.to, type: 'datetime-local', isExtra: true },
    { name: 'targetId', title: t.targetId, isExtra: true },
    { name: 'actorType', title: t.actorKind, options: t.actorTypes, isExtra: true },
    ...(kind === 'platform'
      ? [{ name: 'systemId' as const, title: t.system, source: sources.systems(), isExtra: true }]
      : []),
    ...(kind === 'account'
      ? []
      : [{ name: 'accountId' as const, title: t.account, source: sources.accounts(), isExtra: true }]),
    { name: 'ip', title: t.ip, isExtra: true },
    { name: 'requestId', title: t.requestId, isExtra: true },
  ]
  const query = useListQuery(filters)
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <>
          <ApiCalls calls={[{ path: '/admin/audit', given: { query } }]} />
          <ExportAudit filters={filters} />
        </>
      }
    >
      <AuditList name="audit" filters={filters} />
    </Page>
  )
}
