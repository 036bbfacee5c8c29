import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ENV_FILE, LOAD_ENV } from '../../../../quickstarts/stacks.ts'
import { useMe } from '../../api/context.ts'
import { Copy } from '../../parts/Copy.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Rich } from '../../parts/Rich.tsx'
import { Snippet } from '../../parts/Snippet.tsx'
import { usePageSearch } from '../../parts/search.ts'
import { fill, texts } from '../../texts/texts.ts'
import {
  AddFirstUser,
  AddRedirectUri,
  AllowScopes,
  FirstSignIn,
  SetupStep,
  useFirstSignIn,
} from './FirstSignIn.tsx'
import { NextSteps } from './NextSteps.tsx'
import { type File, quickStartOf, quickStartsOf, randomSecret } from './quick-starts.ts'
import { clientKindOf, type System } from './system.ts'
import { TestSignIn } from './TestSignIn.tsx'
import { useTicks } from './ticks.ts'
import '../../parts/chips.css'
import './QuickStart.css'

/** From a new application to a user who signs in to it. */
export function QuickStart({ system }: { system: System }) {
  const issuer = useMe().installation.baseUrl
  const { text, set } = usePageSearch()
  const t = texts.quickStart
  const kind = clientKindOf(system)
  const all = quickStartsOf(kind)
  const [name] = all.find(([each]) => each === text('snippet')) ?? all[0]!
  const [sessionSecret] = useState(randomSecret)
  const start = quickStartOf(name, system, { issuer, sessionSecret })
  const hasUsers = kind !== 'service'
  const opened = useFirstSignIn(system, hasUsers)
  const hasSignIn = opened.latest !== undefined
  const tickOf = useTicks(system.id, hasSignIn)
  return (
    <>
      <fieldset className="chips-set quick-start">
        <legend>{t.language}</legend>
        <div className="chips">
          {all.map(([each, title]) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === name}
              onClick={() => set({ snippet: each }, { replace: true })}
            >
              {title}
            </button>
          ))}
        </div>
      </fieldset>
      <ol className="quick-steps">
        {hasUsers && (
          <AddRedirectUri system={system} redirectUri={start.redirectUri} isDone={start.isConfigured} />
        )}
        {start.missingScopes.length > 0 && <AllowScopes system={system} scopes={start.missingScopes} />}
        <Files files={start.files} tick={tickOf('files')} />
        <SetupStep
          title={fill(t.save, { file: ENV_FILE })}
          lead={start.needsSecret && <SecretNote />}
          {...tickOf('variables')}
        >
          <Snippet code={start.env} label={ENV_FILE} />
          <p className="load">
            {t.load} <Copy text={LOAD_ENV} />
          </p>
        </SetupStep>
        <SetupStep title={t.start} {...tickOf('start')}>
          <Snippet code={start.commands} label={t.start} />
        </SetupStep>
        {hasUsers && (
          <>
            <AddFirstUser system={system} />
            <FirstSignIn origin={start.origin} opened={opened} />
          </>
        )}
      </ol>
      {hasSignIn && <NextSteps system={system} />}
      <aside className="note">
        <strong>{t.partition}</strong>
        <p>{t.partitionWhy}</p>
      </aside>
      <section className="panel">
        <h2>{t.values}</h2>
        <Facts
          facts={[
            [t.issuer, <Copy key="issuer" text={issuer} />],
            [texts.systems.clientId, <Copy key="client" text={system.clientId} />],
            [t.discovery, <Copy key="discovery" text={`${issuer}/.well-known/openid-configuration`} />],
          ]}
        />
        <p className="hint">
          <Rich text={t.tested} values={{ folder: <code>quickstarts/{name}</code> }} />
        </p>
      </section>
      {hasUsers && <TestSignIn system={system} />}
    </>
  )
}

/** Each file with its name and its own button that copies it. */
function Files({ files, tick }: { files: File[]; tick: ReturnType<ReturnType<typeof useTicks>> }) {
  const t = texts.quickStart
  const isOne = files.length === 1
  return (
    <SetupStep title={isOne ? fill(t.save, { file: files[0]!.name }) : t.saveFiles} {...tick}>
      {files.map(({ name, code }) => (
        <figure key={name} className="file">
          {!isOne && (
            <figcaption>
              <code>{name}</code>
            </figcaption>
          )}
          <Snippet code={code} label={name} />
        </figure>
      ))}
    </SetupStep>
  )
}

/** Where the secret comes from, which no page but the dialog of a new application has. */
const SecretNote = () => (
  <Rich
    text={texts.quickStart.secret}
    values={{
      variable: <code>CLIENT_SECRET</code>,
      keys: (
        <Link to="." search={{ tab: 'keys' }}>
          {texts.systems.tabs.keys}
        </Link>
      ),
    }}
  />
)
