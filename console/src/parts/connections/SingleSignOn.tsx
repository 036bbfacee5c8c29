import { usePlace } from '../../api/context.ts'
import { Domains } from '../domains/Domains.tsx'
import { SelfService } from '../domains/SelfService.tsx'
import { Connections } from './Connections.tsx'
import type { Account } from './connection.ts'

/** The single sign-on of an organization: its connections, its domains, and who sets them up. */
export function SingleSignOn({ account }: { account: Account }) {
  const { canChange, kind } = usePlace()
  return (
    <>
      <Connections account={account} />
      <Domains account={account} />
      {canChange && kind !== 'account' && <SelfService account={account} />}
    </>
  )
}
