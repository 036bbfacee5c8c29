import { Link } from '@tanstack/react-router'
import { versionOf } from '../../api/call.ts'
import { useMe, usePlace } from '../../api/context.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { Copy } from '../../parts/Copy.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { FormProblem } from '../../parts/Failed.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Snippet } from '../../parts/Snippet.tsx'
import { usePageSearch } from '../../parts/search.ts'
import { relative } from '../../parts/Time.tsx'
import { type Given, snippetsOf } from '../../snippets/index.ts'
import { fill, texts } from '../../texts/texts.ts'
import { canAddUsers } from './AddUser.tsx'
import { kindOf, type System } from './system.ts'
import { TestSignIn } from './TestSignIn.tsx'

/** For an application that has no redirect URI yet. */
const EXAMPLE = 'http://localhost:8080/callback'

/** Code that is ready to be used, and whether it works. */
export function QuickStart({ system }: { system: System }) {
  const { installation } = useMe()
  const { text, set } = usePageSearch()
  const t = texts.quickStart
  const kind = kindOf(system)
  const given: Given = {
    issuer: installation.baseUrl,
    clientId: system.clientId,
    redirectUri: system.redirectUris[0] ?? EXAMPLE,
    kind,
    scopes: system.allowedScopes,
    multiAccount: system.multiAccount,
  }
  const snippets = snippetsOf(kind)
  const [key, snippet] = snippets.find(([each]) => each === text('snippet')) ?? snippets[0]!
  const install = snippet.install?.(given)
  return (
    <>
      {kind !== 'service' && <FirstSignIn system={system} />}
      <p>{t.lead}</p>
      <aside className="note">
        <strong>{t.partition}</strong>
        <p>{t.partitionWhy}</p>
      </aside>
      <fieldset className="chips-set">
        <legend>{t.language}</legend>
        <div className="chips">
          {snippets.map(([each, { title }]) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === key}
              onClick={() => set({ snippet: each }, { replace: true })}
            >
              {title}
            </button>
          ))}
        </div>
      </fieldset>
      {install && (
        <>
          <h3>{t.install}</h3>
          <p className="snippet">
            <Copy text={install} />
          </p>
        </>
      )}
      <h3>{t.code}</h3>
      <Snippet code={snippet.code(given)} label={snippet.title} />
      <p className="hint after">{t.tested}</p>
      {kind !== 'service' && <TestSignIn system={system} />}
      <section className="panel">
        <h2>{t.values}</h2>
        <Facts
          facts={[
            [t.issuer, <Copy key="issuer" text={given.issuer} />],
            [texts.systems.clientId, <Copy key="client" text={given.clientId} />],
            [t.discovery, <Copy key="discovery" text={`${given.issuer}/.well-known/openid-configuration`} />],
          ]}
        />
      </section>
    </>
  )
}

/** Adds the address that the snippets contain. */
function AddExample({ system }: { system: System }) {
  const add = useChange((api) =>
    api.patch('/admin/systems/{systemId}', {
      path: { systemId: system.id },
      body: { redirectUris: [EXAMPLE] },
      headers: { 'If-Match': versionOf(system) ?? '*' },
    }),
  )
  return (
    <div>
      <button type="button" disabled={add.isPending} onClick={() => add.mutate()}>
        <Icon name="plus" />
        {texts.parts.add} <code>{EXAMPLE}</code>
      </button>
      <FormProblem error={add.error} />
    </div>
  )
}

/** 5 s, in ms. */
const POLL = 5_000

/** Waits for a user to sign in, while the page is visible. */
function FirstSignIn({ system }: { system: System }) {
  const t = texts.quickStart
  const { kind, canChange } = usePlace()
  const query = { systemId: system.id, action: 'session.opened', page: 1, pageSize: 1 }
  const opened = useRead('/admin/audit', { query }, { refetchInterval: POLL })
  const latest = opened.data?.data[0]
  if (!opened.data) return null
  if (latest)
    return (
      <div className="status-line" data-state="good" role="status">
        <Icon name="check" />
        <p>
          <strong>{t.works}</strong>
          <br />
          {fill(t.worksLead, { time: relative(latest.time) })}
        </p>
      </div>
    )
  if (system.redirectUris.length === 0)
    return (
      <div className="status-line">
        <Icon name="alert" />
        <p>
          {t.noRedirectUri}{' '}
          <Link to="." search={{ tab: 'signIn' } as never}>
            {t.addRedirectUri}
          </Link>
        </p>
        {canChange && <AddExample system={system} />}
      </div>
    )
  return (
    <div className="status-line" data-state="wait" role="status">
      <Icon name="clock" />
      <p>
        <strong>{t.waiting}</strong>
        <br />
        {t.waitingLead}
      </p>
      {canChange && canAddUsers(system, kind === 'platform') && (
        <Link className="button" to="." search={{ tab: 'quickStart', new: 1 } as never}>
          <Icon name="plus" />
          {texts.systems.addUser.action}
        </Link>
      )}
    </div>
  )
}
