import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { PATH } from '../../parts/connections/connection.ts'
import { SingleSignOn } from '../../parts/connections/SingleSignOn.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Page } from '../../parts/Page.tsx'
import { texts } from '../../texts/texts.ts'

/** Single sign-on of the organization that is administered. */
export function SingleSignOnPage() {
  const { id: accountId } = usePlace()
  const path = { accountId }
  const account = useRead('/admin/accounts/{accountId}', { path })
  return (
    <Page title={texts.accounts.tabs.sso} actions={<ApiCalls calls={[{ path: PATH, given: { path } }]} />}>
      {account.error && !account.data && (
        <Failed error={account.error} onRetry={() => void account.refetch()} />
      )}
      {account.data && <SingleSignOn account={account.data} />}
    </Page>
  )
}
