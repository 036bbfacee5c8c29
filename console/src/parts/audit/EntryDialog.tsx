import { Link } from '@tanstack/react-router'
import { useContextKey, useRead } from '../../api/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Badge } from '../Badge.tsx'
import { Copy } from '../Copy.tsx'
import { Dialog } from '../Dialog.tsx'
import { Facts } from '../Facts.tsx'
import { Named, usePageOf } from '../Named.tsx'
import { type Names, useNames } from '../names.ts'
import { Snippet } from '../Snippet.tsx'
import { exact } from '../Time.tsx'
import { Changes } from './Changes.tsx'
import { ActorName, type Entry, idsOf, Sentence, TargetName } from './Sentence.tsx'
import './EntryDialog.css'

type Props = { entry: Entry; names: Names; onClose: () => void }

/** All about an entry of the audit log. */
export function EntryDialog({ entry, names, onClose }: Props) {
  const t = texts.audit
  const { actor, target } = entry
  const facts: [string, React.ReactNode][] = [
    [t.time, exact(entry.time)],
    [
      t.outcome,
      <Badge key="outcome" tone={entry.outcome === 'success' ? 'good' : 'bad'}>
        {t.outcomes[entry.outcome]}
      </Badge>,
    ],
    [t.actor, <Actor key="actor" entry={entry} names={names} />],
    [t.target, target.id && <Target key="target" entry={entry} names={names} />],
    [t.system, entry.systemId && <Named key="system" type="system" id={entry.systemId} names={names} />],
    [t.account, entry.accountId && <Named key="account" type="account" id={entry.accountId} names={names} />],
    [t.ip, actor.ip && <Copy text={actor.ip} />],
    [t.userAgent, actor.userAgent],
    [t.requestId, entry.requestId && <Copy text={entry.requestId} />],
    [t.action, <code key="action">{entry.action}</code>],
  ]
  const isSignIn = /^(user\.(login|second_factor|mailed_code)|sign_in\.)/.test(entry.action)
  return (
    <Dialog title={t.what} place="end" onClose={onClose}>
      <p className="entry-sentence">
        <Sentence entry={entry} names={names} />
      </p>
      {entry.outcome === 'failure' && isSignIn && target.type === 'user' && target.id && (
        <ExplainLink userId={target.id} entry={entry} />
      )}
      <Facts facts={facts.filter(([, value]) => value)} />
      <Changes changes={entry.changes} isChange={entry.outcome === 'success'} />
      {entry.requestId && <SameRequest entry={entry} />}
      <details className="more-panel">
        <summary>{t.asJson}</summary>
        <Snippet code={JSON.stringify(entry, null, 2)} label={t.asJson} />
      </details>
    </Dialog>
  )
}

function ExplainLink({ userId, entry }: { userId: string; entry: Entry }) {
  const context = useContextKey()
  const { systemId, requestId } = entry
  const search = systemId && requestId ? { requestId } : { userId, ...(systemId && { systemId }) }
  return (
    <p>
      <Link className="button" to="/$context/explain" params={{ context }} search={search}>
        {texts.audit.explain}
      </Link>
    </p>
  )
}

function Actor({ entry, names }: Omit<Props, 'onClose'>) {
  const t = texts.audit
  const { type, id, via } = entry.actor
  return (
    <>
      {type === 'user' ? <Named type="user" id={id} names={names} /> : null}
      {type === 'service' && <ActorName entry={entry} names={names} />}{' '}
      <span className="muted">
        {t.actorTypes[type]}
        {via && ` · ${t.via[via]}`}
      </span>
    </>
  )
}

/** The kinds that people know have a word; the others are those of the API. */
function typeWords(type: string | null): string | null {
  const { types } = texts.palette
  return type !== null && Object.hasOwn(types, type) ? types[type as keyof typeof types] : type
}

function Target({ entry, names }: Omit<Props, 'onClose'>) {
  const { type, id } = entry.target
  const pageOf = usePageOf()
  const page = type && id && names.of(id) ? pageOf(type, id) : undefined
  if (!id) return null
  const name = <TargetName entry={entry} names={names} />
  return (
    <>
      {page ? <Link {...page}>{name}</Link> : name} <span className="muted">{typeWords(type)}</span>
      <br />
      <Copy text={id} label={texts.parts.copyId} />
    </>
  )
}

/** The other entries of the request, which are the rest of what it did. */
function SameRequest({ entry }: { entry: Entry }) {
  const others = useRead('/admin/audit', { query: { requestId: entry.requestId!, pageSize: 50 } })
  const rows = (others.data?.data ?? []).filter(({ id }) => id !== entry.id)
  const names = useNames(rows.flatMap(idsOf))
  if (rows.length === 0) return null
  return (
    <section className="same-request">
      <h3>{texts.audit.sameRequest}</h3>
      <ul>
        {rows.map((row) => (
          <li key={row.id}>
            <Sentence entry={row} names={names} />
          </li>
        ))}
      </ul>
    </section>
  )
}
