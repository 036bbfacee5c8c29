import { type ReactNode, useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { fill, texts } from '../../texts/texts.ts'
import { Badge, Done } from '../Badge.tsx'
import { Copy } from '../Copy.tsx'
import { Facts } from '../Facts.tsx'
import { Failed } from '../Failed.tsx'
import { Icon } from '../Icon.tsx'
import { Time } from '../Time.tsx'
import { useAct } from '../useAct.ts'
import { AddDomain, DeleteDomain } from './DomainDialogs.tsx'
import { type Account, type Domain, isAbove, PATH, useDomains, useSetsUp } from './domain.ts'

type Open = { name: 'add' } | { name: 'delete'; of: Domain }

/** The domains of an organization, with their records, and what can be done with them. */
export function Domains({ account }: { account: Account }) {
  const t = texts.domains
  const read = useDomains(account)
  const setsUp = useSetsUp(account)
  const [open, setOpen] = useState<Open>()
  if (read.error && !read.data) return <Failed error={read.error} onRetry={() => void read.refetch()} />
  if (!read.data) return null
  const add = setsUp !== false && (
    <button type="button" onClick={() => setOpen({ name: 'add' })}>
      <Icon name="plus" />
      {t.add}
    </button>
  )
  const onClose = () => setOpen(undefined)
  return (
    <section className="after-panels">
      <div className="section-head">
        <div>
          <h2>{t.title}</h2>
          <p className="muted">{read.data.length > 0 ? t.lead : `${t.lead} ${t.none}`}</p>
        </div>
        {add}
      </div>
      {read.data.map((domain) => (
        <DomainPanel
          key={domain.id}
          domain={domain}
          setsUp={setsUp !== false}
          onDelete={() => setOpen({ name: 'delete', of: domain })}
        />
      ))}
      {open?.name === 'add' && <AddDomain account={account} onClose={onClose} />}
      {open?.name === 'delete' && <DeleteDomain domain={open.of} onClose={onClose} />}
    </section>
  )
}

function Status({ status }: Pick<Domain, 'status'>) {
  const text = texts.domains.statuses[status]
  if (status === 'verified') return <Done>{text}</Done>
  return <Badge tone={status === 'lapsed' ? 'bad' : 'wait'}>{text}</Badge>
}

type Props = { domain: Domain; setsUp: boolean; onDelete: () => void }

function DomainPanel({ domain, setsUp, onDelete }: Props) {
  const t = texts.domains
  const { canChange, kind } = usePlace()
  const act = useAct()
  const { id: domainId, accountId, name, status, outcome, subdomains, setBy, checking, found } = domain
  const path = { accountId, domainId }
  const isOurs = canChange && !isAbove(domain, kind)
  const isFine = status === 'verified' && outcome === 'verified'
  const facts: [string, ReactNode][] = [
    [t.checked, <Checked key="checked" domain={domain} />],
    [t.subdomains, subdomains ? texts.parts.yes : texts.parts.no],
    [t.setBy, t.setByValues[setBy]],
  ]
  return (
    <section className="panel">
      <h3>
        {name} <Status status={status} /> {checking && <Badge tone="wait">{t.checking}</Badge>}
      </h3>
      <Facts facts={facts} />
      {domain.lapsesAt && (
        <p className="notice">
          {t.lapses} <Time at={domain.lapsesAt} />
        </p>
      )}
      {!isFine && <Record domain={domain} />}
      {found && found.values.length > 0 && (
        <p className="muted">{fill(t.found, { values: found.values.join(', ') })}</p>
      )}
      <div className="button-row">
        {canChange && (
          <button
            type="button"
            onClick={() =>
              void act((api) => api.post(`${PATH}/{domainId}/check`, { path }), t.checkRequested)
            }
          >
            {t.check}
          </button>
        )}
        {isOurs && setsUp && (
          <button
            type="button"
            onClick={() =>
              void act(
                (api) => api.patch(`${PATH}/{domainId}`, { path, body: { subdomains: !subdomains } }),
                texts.parts.saved,
              )
            }
          >
            {subdomains ? t.exclude : t.include}
          </button>
        )}
        {isOurs && (
          <button type="button" className="danger" onClick={onDelete}>
            {texts.parts.delete}
          </button>
        )}
      </div>
    </section>
  )
}

function Checked({ domain: { checkedAt, outcome } }: { domain: Domain }) {
  const t = texts.domains
  if (outcome === null) return t.unchecked
  return (
    <>
      <Time at={checkedAt} /> – {t.outcomes[outcome]}
    </>
  )
}

function Record({ domain: { record } }: { domain: Domain }) {
  const t = texts.domains
  return (
    <>
      <p className="muted after">{t.recordLead}</p>
      <Facts
        facts={[
          [t.recordType, record.type],
          [t.recordName, <Copy key="name" text={record.name} />],
          [t.recordValue, <Copy key="value" text={record.value} />],
        ]}
      />
    </>
  )
}
