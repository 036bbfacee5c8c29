import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { InvitationList } from '../../parts/invitations/InvitationList.tsx'
import { useInvite } from '../../parts/invitations/useInvite.tsx'
import { Page } from '../../parts/Page.tsx'
import { texts } from '../../texts/texts.ts'

/** The invitations of the organization that is administered. */
export function InvitationsPage() {
  const { id: accountId } = usePlace()
  const t = texts.invitations
  const path = { accountId }
  const account = useRead('/admin/accounts/{accountId}', { path })
  const { button, dialog } = useInvite(account.data)
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <>
          <ApiCalls calls={[{ path: '/admin/accounts/{accountId}/invitations', given: { path } }]} />
          {button}
        </>
      }
    >
      <InvitationList accountId={accountId} add={button} />
      {dialog}
    </Page>
  )
}
