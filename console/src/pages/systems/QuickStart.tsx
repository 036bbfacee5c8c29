import { Link } from '@tanstack/react-router'
import { useMe } from '../../api/context.ts'
import { Copy } from '../../parts/Copy.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Rich } from '../../parts/Rich.tsx'
import { Snippet } from '../../parts/Snippet.tsx'
import { usePageSearch } from '../../parts/search.ts'
import {
  exampleOf,
  type File,
  isHarmless,
  redirectUriOf,
  type SnippetInput,
  snippetsOf,
} from '../../snippets/index.ts'
import { originOf } from '../../snippets/snippet.ts'
import { fill, texts } from '../../texts/texts.ts'
import { AddFirstUser, AddRedirectUri, FirstSignIn, SetupStep } from './FirstSignIn.tsx'
import { clientKindOf, type System } from './system.ts'
import { TestSignIn } from './TestSignIn.tsx'
import '../../parts/chips.css'
import './QuickStart.css'

/** From a new application to a user who signs in to it. */
export function QuickStart({ system }: { system: System }) {
  const { installation } = useMe()
  const { text, set } = usePageSearch()
  const t = texts.quickStart
  const kind = clientKindOf(system)
  const snippets = snippetsOf(kind)
  const [key, snippet] = snippets.find(([each]) => each === text('snippet')) ?? snippets[0]!
  const configured = redirectUriOf(snippet, system.redirectUris)
  const redirectUri = configured ?? exampleOf(snippet)
  const signOutUri = system.postLogoutRedirectUris.find(
    (uri) => isHarmless(uri) && originOf(uri) === originOf(redirectUri),
  )
  const given: SnippetInput = {
    issuer: installation.baseUrl,
    clientId: system.clientId,
    redirectUri,
    ...(signOutUri !== undefined && { signOutUri }),
    kind,
    scopes: system.allowedScopes,
    multiAccount: system.multiAccount,
  }
  const install = snippet.install?.(given)
  const commands = snippet.commands?.(given)
  const start = snippet.start?.(given)
  const hasUsers = kind !== 'service'
  return (
    <>
      <fieldset className="chips-set quick-start">
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
      <ol className="quick-steps">
        {hasUsers && (
          <AddRedirectUri system={system} redirectUri={redirectUri} isDone={Boolean(configured)} />
        )}
        {install && (
          <SetupStep title={t.install}>
            <Command text={install} />
          </SetupStep>
        )}
        {commands && (
          <SetupStep title={t.commands} lead={<Leads kind={kind} />}>
            <Snippet code={commands} label={snippet.title} />
          </SetupStep>
        )}
        {snippet.files && <Files files={snippet.files(given)} />}
        {start && (
          <SetupStep title={t.start} lead={kind !== 'public' && <SecretNote />}>
            <Command text={start} />
          </SetupStep>
        )}
        {hasUsers && (
          <>
            <AddFirstUser system={system} />
            <FirstSignIn system={system} origin={commands ? undefined : originOf(redirectUri)} />
          </>
        )}
      </ol>
      <aside className="note">
        <strong>{t.partition}</strong>
        <p>{t.partitionWhy}</p>
      </aside>
      <section className="panel">
        <h2>{t.values}</h2>
        <Facts
          facts={[
            [t.issuer, <Copy key="issuer" text={given.issuer} />],
            [texts.systems.clientId, <Copy key="client" text={given.clientId} />],
            [t.discovery, <Copy key="discovery" text={`${given.issuer}/.well-known/openid-configuration`} />],
          ]}
        />
        <p className="hint">{t.tested}</p>
      </section>
      {hasUsers && <TestSignIn system={system} />}
    </>
  )
}

/** Each file with its name and its own button that copies it. */
function Files({ files }: { files: File[] }) {
  const t = texts.quickStart
  const isOne = files.length === 1
  return (
    <SetupStep title={isOne ? fill(t.save, { file: files[0]!.name }) : t.saveFiles} lead={t.filledIn}>
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

const Leads = ({ kind }: { kind: SnippetInput['kind'] }) => (
  <>
    {texts.quickStart.filledIn} {kind !== 'public' && <SecretNote />}
  </>
)

const Command = ({ text }: { text: string }) => (
  <p className="snippet">
    <Copy text={text} />
  </p>
)

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
