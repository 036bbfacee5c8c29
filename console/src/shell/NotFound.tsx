import type { ErrorComponentProps } from '@tanstack/react-router'
import { Failed } from '../parts/Failed.tsx'
import { texts } from '../texts/texts.ts'

export const NotFound = () => (
  <main className="alone">
    <h1>{texts.shell.notFound}</h1>
    <p>{texts.shell.notFoundLead}</p>
    <a className="button" href="/console/">
      {texts.shell.toHome}
    </a>
  </main>
)

export const RouteFailure = ({ error, reset }: ErrorComponentProps) => (
  <main className="alone">
    <Failed error={error} onRetry={reset} />
  </main>
)
