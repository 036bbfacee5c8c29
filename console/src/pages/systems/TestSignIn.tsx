import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { type Answer, useChange, useRead } from '../../api/queries.ts'
import { Copy } from '../../parts/Copy.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { FormProblem } from '../../parts/Failed.tsx'
import { Icon, type IconName } from '../../parts/Icon.tsx'
import { templateOf, textNamed, texts } from '../../texts/texts.ts'
import type { System } from './system.ts'
import '../../parts/steps.css'
import '../../parts/status-line.css'

type Test = Answer<'/admin/systems/{systemId}/test-sign-ins/{testSignInId}'>
type Result = NonNullable<Test['result']>
type Step = Result['steps'][number]

/** Creates a link with which a user goes through the sign-in without the application. */
export function TestSignIn({ system }: { system: System }) {
  const t = texts.testSignIn
  const { canChange } = usePlace()
  const path = { systemId: system.id }
  const create = useChange((api) => api.post('/admin/systems/{systemId}/test-sign-ins', { path, body: {} }))
  const isPossible =
    system.redirectUris.length > 0 && system.securityProfile !== 'fapi2' && !system.requireSignedRequestObject
  if (!canChange || !isPossible) return null
  return (
    <section className="panel">
      <h2>{t.title}</h2>
      <p>{t.lead}</p>
      <button type="button" aria-disabled={create.isPending} onClick={() => create.mutate()}>
        {t.create}
      </button>
      <FormProblem error={create.error} />
      {create.data && <TestDialog systemId={system.id} made={create.data} onClose={create.reset} />}
    </section>
  )
}

/** 3 s, in ms. */
const POLL = 3_000

type Made = { id: string; url: string }

/** The link and, as soon as the user has shared it, the result. */
function TestDialog({ systemId, made, onClose }: { systemId: string; made: Made; onClose: () => void }) {
  const t = texts.testSignIn
  const [hasEnded, setEnded] = useState(false)
  const { data } = useRead(
    '/admin/systems/{systemId}/test-sign-ins/{testSignInId}',
    { path: { systemId, testSignInId: made.id } },
    hasEnded ? {} : { refetchInterval: POLL },
  )
  if (data && data.status !== 'open' && !hasEnded) setEnded(true)
  return (
    <Dialog title={t.title} onClose={onClose}>
      {data?.result ? (
        <Shared result={data.result} />
      ) : data?.status === 'expired' ? (
        <p role="status">{t.expired}</p>
      ) : (
        <Waiting url={made.url} />
      )}
    </Dialog>
  )
}

function Waiting({ url }: { url: string }) {
  const t = texts.testSignIn
  return (
    <>
      <p>{t.send}</p>
      <p className="snippet">
        <Copy text={url} />
      </p>
      <p>
        <a className="button" href={url} target="_blank" rel="noopener noreferrer">
          {t.open}
        </a>
      </p>
      <div className="status-line" data-state="wait" role="status">
        <Icon name="clock" />
        <p>
          <strong>{t.waiting}</strong>
          <br />
          {t.waitingLead}
        </p>
      </div>
    </>
  )
}

const ICONS: Record<Step['verdict'], IconName> = {
  passed: 'check',
  asked: 'user',
  refused: 'alert',
  skipped: 'minus',
}

function Shared({ result: { steps, claims } }: { result: Result }) {
  const t = texts.testSignIn
  return (
    <>
      <p role="status">{t.shared}</p>
      <ol className="steps">
        {steps.map((step) => (
          <li key={step.step} className={step.verdict}>
            <Icon name={ICONS[step.verdict]} />
            <div>
              <h3>
                {texts.explain.steps[step.step]} <span className="muted">{t.verdicts[step.verdict]}</span>
              </h3>
              <p>{sentenceOf(step)}</p>
            </div>
          </li>
        ))}
      </ol>
      <h3>{texts.explain.token}</h3>
      {claims ? <pre>{JSON.stringify(claims, null, 2)}</pre> : <p>{t.noClaims}</p>}
    </>
  )
}

/** The sentences of an explanation, unless a test has one of its own. */
function sentenceOf({ step, code }: Step): string {
  const name = `${step}.${code}`
  const sentence = textNamed(texts.testSignIn.sentences, name) ?? textNamed(texts.explain.sentences, name)
  return sentence === undefined ? '' : templateOf(sentence)
}
