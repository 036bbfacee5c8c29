import { Link } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { Guide } from '../../parts/Guide.tsx'
import { texts } from '../../texts/texts.ts'
import type { System } from './system.ts'
import './QuickStart.css'

/** What follows the first sign-in, each one click away. */
export function NextSteps({ system }: { system: System }) {
  const t = texts.quickStart
  const { key, kind } = usePlace()
  const search = kind === 'platform' ? { systemId: system.id } : {}
  return (
    <section className="panel">
      <h2>{t.next}</h2>
      <ul className="next-steps">
        <li>
          <Guide page="client-library">{t.nextApi}</Guide>
          <p className="muted">{t.nextApiLead}</p>
        </li>
        {system.multiAccount && (
          <>
            <li>
              <Guide page="quickstarts#members-pages">{t.nextMembers}</Guide>
              <p className="muted">{t.nextMembersLead}</p>
            </li>
            <li>
              <Link to="/$context/accounts" params={{ context: key }} search={search}>
                {t.nextInvite}
              </Link>
              <p className="muted">{t.nextInviteLead}</p>
            </li>
          </>
        )}
        {!system.multiAccount && (
          <li>
            <Link to="." search={(before) => ({ ...before, new: 1 })} resetScroll={false}>
              {texts.systems.addUser.action}
            </Link>
            <p className="muted">{t.nextUserLead}</p>
          </li>
        )}
        <li>
          <Guide page="before-production">{t.nextProduction}</Guide>
          <p className="muted">{t.nextProductionLead}</p>
        </li>
      </ul>
    </section>
  )
}
