import { Link } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { type Item, useRead } from '../../api/queries.ts'
import { Done } from '../../parts/Badge.tsx'
import type { PageLink } from '../../parts/links.ts'
import { texts } from '../../texts/texts.ts'
import { clientKindOf } from '../systems/system.ts'
import './FirstSteps.css'

type System = Item<'/admin/systems'>
type State = {
  /** The only application; undefined if there is none. */
  system: System | undefined
  hasUsers: boolean
}

/** 30 days, in ms: older installations do not need the steps. */
const NEW = 2_592_000_000

/** What is done of the first steps. `steps`: undefined if users sign in, and until it is known. */
export function useFirstSteps(): { steps: State | undefined; isLoading: boolean } {
  const isPlatform = usePlace().kind === 'platform'
  const systems = useRead('/admin/systems', { query: { pageSize: 5 } }, { enabled: isPlatform })
  const others = systems.data?.data.filter(({ platform }) => !platform)
  const [first] = others ?? []
  const isWaiting =
    others?.length === 1 &&
    clientKindOf(first!) !== 'service' &&
    Date.now() - Date.parse(first!.createdAt) < NEW
  const one = { systemId: first?.id ?? '', page: 1, pageSize: 1 }
  const opened = useRead(
    '/admin/audit',
    { query: { ...one, action: 'session.opened' } },
    { enabled: isWaiting },
  )
  const members = useRead('/admin/memberships', { query: one }, { enabled: isWaiting })
  const isLoading = [systems, opened, members].some((each) => each.isLoading)
  if (others?.length === 0) return { steps: { system: undefined, hasUsers: false }, isLoading }
  if (!isWaiting || opened.data?.total !== 0 || !members.data) return { steps: undefined, isLoading }
  return { steps: { system: first, hasUsers: members.data.total > 0 }, isLoading }
}

type Step = { title: string; lead: string; action: string; isDone: boolean; link: PageLink }

function stepsOf(context: string, { system, hasUsers }: State): Step[] {
  const t = texts.home
  const params = { context, systemId: system?.id ?? '' }
  return [
    {
      title: t.createSystem,
      lead: t.createSystemLead,
      action: t.createSystemAction,
      isDone: system !== undefined,
      link: { to: '/$context/systems', params: { context }, search: { new: 1 } },
    },
    {
      title: t.createUsers,
      lead: t.createUsersLead,
      action: t.createUsersAction,
      isDone: hasUsers,
      link: { to: '/$context/systems/$systemId', params, search: { new: 1 } },
    },
    {
      title: t.signIn,
      lead: t.signInLead,
      action: t.signInAction,
      isDone: false,
      link: { to: '/$context/systems/$systemId', params, search: { tab: 'quickStart' } },
    },
  ]
}

/** What to do until the first user has signed in to an application. */
export function FirstSteps(state: State) {
  const t = texts.home
  const { key, canChange } = usePlace()
  const steps = stepsOf(key, state)
  const next = steps.findIndex(({ isDone }) => !isDone)
  return (
    <section>
      <h2>{t.firstSteps}</h2>
      <ol className="first-steps">
        {steps.map(({ title, lead, action, isDone, link }, index) => (
          <li key={title} className="panel">
            <h3>{title}</h3>
            <p className="muted">{lead}</p>
            {isDone && <Done>{t.stepDone}</Done>}
            {canChange && !isDone && (index === 0 || state.system) && (
              <Link className={index === next ? 'button primary' : 'button'} {...link}>
                {action}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
