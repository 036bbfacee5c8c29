import { Problem } from '../api/problem.ts'
import { textNamed, texts } from '../texts/texts.ts'
import { Copy } from './Copy.tsx'
import './Failed.css'

/** The text of an error in the language of the page, otherwise that of the server. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Problem)) return String(error)
  const { not_found, ...known } = texts.problems
  const isMissing = error.code.endsWith('not_found')
  return textNamed(known, error.code) ?? (isMissing ? not_found : error.message)
}

/** Why something could not be read. */
export const Failed = ({ error, onRetry }: { error: unknown; onRetry?: () => void }) => (
  <section className="failed" role="alert">
    <h2>{texts.parts.failed}</h2>
    <p>{messageOf(error)}</p>
    {error instanceof Problem && error.requestId && (
      <p className="muted">
        {texts.parts.requestId}: <Copy text={error.requestId} />
      </p>
    )}
    {onRetry && (
      <button type="button" onClick={onRetry}>
        {texts.parts.tryAgain}
      </button>
    )}
  </section>
)

/** Why a form or an action failed; nothing without an error. Faults of fields are shown at their fields. */
export function FormProblem({ error }: { error: unknown }) {
  if (!error) return null
  const faults = error instanceof Problem ? error.errors : []
  const isNamed = faults.length > 0 && faults.every(({ path }) => path !== '')
  return (
    <p className="problem" role="alert">
      {isNamed ? texts.parts.checkFields : messageOf(error)}
    </p>
  )
}
