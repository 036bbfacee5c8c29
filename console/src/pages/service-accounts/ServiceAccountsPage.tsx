import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Page } from '../../parts/Page.tsx'
import { type Account, PATH } from '../../parts/service-accounts/service-account.ts'
import { useServiceAccounts } from '../../parts/service-accounts/useServiceAccounts.tsx'
import { texts } from '../../texts/texts.ts'

/** The service accounts of the organization that is administered. */
export function ServiceAccountsPage() {
  const { id: accountId } = usePlace()
  const account = useRead('/admin/accounts/{accountId}', { path: { accountId } })
  if (account.data) return <Loaded account={account.data} />
  return (
    <Page title={texts.serviceAccounts.title}>
      {account.error && <Failed error={account.error} onRetry={() => void account.refetch()} />}
    </Page>
  )
}

function Loaded({ account }: { account: Account }) {
  const t = texts.serviceAccounts
  const { button, list } = useServiceAccounts(account)
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <>
          <ApiCalls calls={[{ path: PATH, given: { path: { accountId: account.id } } }]} />
          {button}
        </>
      }
    >
      {list}
    </Page>
  )
}
