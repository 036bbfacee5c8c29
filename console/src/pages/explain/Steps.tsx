import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Admin } from '../../../../sdk/src/operations.ts'
import { usePlace } from '../../api/context.ts'
import { type Answer, type ContextKind, useChange } from '../../api/queries.ts'
import { FormProblem } from '../../parts/Failed.tsx'
import { Icon, type IconName } from '../../parts/Icon.tsx'
import type { PageLink } from '../../parts/links.ts'
import { AddMember } from '../../parts/members/AddMember.tsx'
import { exact } from '../../parts/Time.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { fill, formatList, type Message, textNamed, texts } from '../../texts/texts.ts'
import '../../parts/steps.css'

export type Explanation = Answer<'/admin/explain'>
type Step = Explanation['steps'][number]
type Fix = NonNullable<Step['fix']>

const ICONS: Record<Step['verdict'], IconName> = {
  passed: 'check',
  asked: 'user',
  refused: 'alert',
  skipped: 'minus',
  unreached: 'more',
}

/** What a step means to the reader, in a sentence. */
export function sentenceOf(found: Step, kind: ContextKind): string {
  const { step, verdict, code, because, facts = {} } = found
  const t = texts.explain
  const isNone = code === 'redirect_uri' && Array.isArray(facts.registered) && facts.registered.length === 0
  const name = `${step}.${code}${isNone ? '_none' : ''}`
  const sentence =
    textNamed(t.sentences, `${name}.${kind}`) ?? textNamed(t.sentences, name) ?? t.verdicts[verdict]
  const values = Object.entries(facts).map(([name, value]): [string, string] => [name, factText(value)])
  const reason = because === undefined ? '' : (textNamed(t.because, because) ?? '')
  return [fill<string>(sentence, Object.fromEntries(values)), reason, reservedTo(found)]
    .filter(Boolean)
    .join(' ')
}

/** Says who may change the state of a membership, if the reader may not. */
function reservedTo({ step, code, facts, fix }: Step): string | undefined {
  if (step !== 'membership' || fix) return undefined
  const by = facts?.by as keyof typeof texts.members.blockedBy
  return code === 'blocked'
    ? texts.members.blockedBy[by]
    : by && texts.explain.sentences['membership.reserved']
}

function factText(value: unknown): string {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) return exact(value)
  return Array.isArray(value) ? value.map(nameOf).join(', ') : String(value)
}

/** An account `{id, name}`, or a text. */
const nameOf = (value: string | { name: string }): string => (typeof value === 'string' ? value : value.name)

/** The steps of a sign-in in their order, each with its verdict and what changes it. */
export function Steps({ explanation: { steps } }: { explanation: Explanation }) {
  const { kind } = usePlace()
  const t = texts.explain
  const hidden = steps.filter(({ code }) => code === 'not_shown')
  const unreached = steps.filter(({ verdict }) => verdict === 'unreached')
  return (
    <ol className="steps">
      {steps
        .filter((step) => !hidden.includes(step) && !unreached.includes(step))
        .map((step) => (
          <li key={step.step} className={step.verdict}>
            <Icon name={ICONS[step.verdict]} />
            <div>
              <h3>
                {t.steps[step.step]}{' '}
                {step.step !== 'session' && <span className="muted">{t.verdicts[step.verdict]}</span>}
              </h3>
              <p>{sentenceOf(step, kind)}</p>
              {step.fix && <FixButton step={step} />}
            </div>
          </li>
        ))}
      <Others steps={unreached} icon="more" title={t.verdicts.unreached} text={t.unreached} />
      <Others steps={hidden} icon="minus" title={t.notShownTitle} text={t.notShown} />
    </ol>
  )
}

type OthersProps = { steps: readonly Step[]; icon: IconName; title: string; text: Message<'steps'> }

/** Several steps of which only the names are known. */
function Others({ steps, icon, title, text }: OthersProps) {
  if (steps.length === 0) return null
  const names = steps.map(({ step }) => texts.explain.steps[step])
  return (
    <li className="unreached">
      <Icon name={icon} />
      <div>
        <h3>{title}</h3>
        <p>{fill(text, { steps: formatList(names) })}</p>
      </div>
    </li>
  )
}

/** The page with the form of an operation that needs more than a click. */
const FORMS: Record<string, (context: string, id: string, step: Step) => PageLink> = {
  'POST /admin/users': (context) => ({ to: '/$context/users', params: { context } }),
  'PATCH /admin/systems/': (context, systemId, { facts }) => ({
    to: '/$context/systems/$systemId',
    params: { context, systemId },
    search: { tab: 'signIn', ...(typeof facts?.sent === 'string' && { redirectUris: facts.sent }) },
  }),
  'POST reset-password': userPage,
  'POST disable-mfa': userPage,
}

function userPage(context: string, userId: string): PageLink {
  return { to: '/$context/users/$userId', params: { context, userId } }
}

/** `PATCH /admin/users/<id>` → its page in the console; undefined if a button is enough. */
function pageOf(context: string, { operation }: Fix, step: Step): PageLink | undefined {
  const [, , noun, id = '', action] = operation.split('/')
  const method = operation.split(' ')[0]
  const form = FORMS[`${method} ${action}`] ?? FORMS[operation] ?? FORMS[`${method} /admin/${noun}/`]
  return form?.(context, id, step)
}

/** What the operation does, in the words of the page where it is done otherwise. */
function labelOf({ step, code }: Step, { operation }: Fix): string {
  const { approve, unblock } = texts.members
  if (step === 'membership' && code === 'blocked') return unblock
  if (step === 'membership' && code === 'pending') return approve
  return textNamed(texts.explain.fixes, operation.replace(/[/=][0-9a-f-]{36}/, '')) ?? texts.explain.fix
}

export function FixButton({ step }: { step: Step }) {
  const { fix } = step
  const t = texts.explain
  const toast = useToast()
  const { key, canChange } = usePlace()
  const change = useChange((api, { operation, body }: Fix) => execute(api, operation, body), {
    onSuccess: () => toast(t.done),
  })
  if (!canChange || !fix) return null
  const label = labelOf(step, fix)
  if (fix.operation === 'POST /admin/memberships') return <MemberFix fix={fix} label={label} />
  const page = pageOf(key, fix, step)
  if (page)
    return (
      <Link className="button" {...page}>
        {label}
      </Link>
    )
  return (
    <>
      <button type="button" aria-disabled={change.isPending} onClick={() => change.mutate(fix)}>
        {label}
      </button>
      <FormProblem error={change.error} />
    </>
  )
}

/** The body contains the user and the application. */
function MemberFix({ fix, label }: { fix: Fix; label: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && <AddMember {...fix.body} onClose={() => setOpen(false)} />}
    </>
  )
}

/** The operation is the one that the server has named. */
function execute(api: Admin, operation: string, body: object | undefined): Promise<unknown> {
  const [method = '', path = ''] = operation.split(' ')
  const call = api[method.toLowerCase() as keyof Admin] as (path: string, given: object) => Promise<unknown>
  return call(path, body ? { body } : {})
}

/** The explanation as text, without personal data. */
export function reportOf({ outcome, code, at, steps }: Explanation): string {
  const lines = steps.map((step) => `${step.step}: ${step.verdict}${step.code ? ` (${step.code})` : ''}`)
  return [`Sign-in explained at ${at}: ${outcome}${code ? ` (${code})` : ''}`, ...lines].join('\n')
}
