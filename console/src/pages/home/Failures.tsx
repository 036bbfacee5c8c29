import { Link } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { formatNumber, textNamed, texts } from '../../texts/texts.ts'
import type { Summary } from './Numbers.tsx'
import '../../parts/Table.css'
import './Failures.css'

/** The reasons of `sign_in.refused`: a rule of the application. The others are those of `user.login`. */
const RULES = new Set([
  ...['pending', 'blocked', 'none', 'foreign', 'factor', 'consent'],
  ...['suspended', 'exempt_without_factor'],
])

const actionOf = (reason: string) => (RULES.has(reason) ? 'sign_in.refused' : 'user.login')

/** In ms. */
const DAY = 86_400_000

/** Why sign-ins were refused in the last day, each with its entries in the audit log. */
export function Failures({ summary }: { summary: Summary }) {
  const t = texts.home
  const { key } = usePlace()
  const { failuresByReason } = summary
  const dayAgo = new Date(Date.now() - DAY)
  if (!failuresByReason || failuresByReason.length === 0) return null
  return (
    <section className="panel">
      <h2>{t.failuresByReason}</h2>
      <ul className="reasons">
        {failuresByReason.map(({ key: reason, count }) => (
          <li key={reason}>
            <Link
              to="/$context/audit"
              params={{ context: key }}
              search={{ action: actionOf(reason), reason, from: dayAgo.toISOString() }}
            >
              {textNamed(texts.explain.reasons, reason) ?? reason}
            </Link>
            <span className="number">{formatNumber(count)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
