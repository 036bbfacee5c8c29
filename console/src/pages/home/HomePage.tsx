import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { SignInChart } from '../../parts/activity/SignInChart.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Page } from '../../parts/Page.tsx'
import { texts } from '../../texts/texts.ts'
import { ActiveUsers } from './ActiveUsers.tsx'
import { Attention } from './Attention.tsx'
import { Failures } from './Failures.tsx'
import { FirstSteps, useFirstSteps } from './FirstSteps.tsx'
import { NoSecondFactor } from './NoSecondFactor.tsx'
import { InstallationNumbers } from './Numbers.tsx'
import './HomePage.css'

/** 30 s, in ms: as long as the server keeps the numbers. */
const REFRESH = 30_000

/** What is going on, and what waits for the user. */
export function HomePage() {
  const { kind } = usePlace()
  const { steps, isLoading } = useFirstSteps()
  const summary = useRead('/admin/stats/summary', {}, { refetchInterval: REFRESH })
  const installation = useRead('/admin/installation', {}, { enabled: kind === 'platform' })
  const { data, error } = summary
  // All at once: nothing moves what is above it.
  const isReady = !isLoading && !installation.isLoading && !summary.isLoading
  return (
    <Page title={texts.home.title} actions={<ApiCalls calls={[{ path: '/admin/stats/summary' }]} />}>
      <NoSecondFactor />
      {isReady && steps && <FirstSteps {...steps} />}
      {error && !data ? <Failed error={error} onRetry={() => void summary.refetch()} /> : null}
      {isReady && data && (!steps || steps.system) && (
        <>
          <InstallationNumbers summary={data} />
          <div className="home">
            <div className="home-side">
              <Attention summary={data} failedMail={installation.data?.mail.failed ?? 0} />
              <Failures summary={data} />
            </div>
            {kind !== 'account' && (
              <div>
                <SignInChart />
                <ActiveUsers />
              </div>
            )}
          </div>
        </>
      )}
    </Page>
  )
}
