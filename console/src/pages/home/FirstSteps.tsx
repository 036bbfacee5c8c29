import { Link } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { texts } from '../../texts/texts.ts'

/** What to do in an installation that has no application yet. */
export function FirstSteps() {
  const t = texts.home
  const { key, canChange } = usePlace()
  const steps = [
    {
      title: t.createSystem,
      lead: t.createSystemLead,
      action: t.createSystemAction,
      href: 'systems',
      search: { new: 1 },
    },
    { title: t.createUsers, lead: t.createUsersLead, action: t.createUsersAction, href: 'users' },
    { title: t.signIn, lead: t.signInLead, action: t.signInAction, href: 'live' },
  ]
  return (
    <section>
      <h2>{t.firstSteps}</h2>
      <ol className="first-steps">
        {steps.map(({ title, lead, action, href, search }, index) => (
          <li key={title} className="panel">
            <h3>{title}</h3>
            <p className="muted">{lead}</p>
            {canChange && (
              <Link
                className={index === 0 ? 'button primary' : 'button'}
                to={`/${key}/${href}` as '/'}
                search={search as never}
              >
                {action}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
