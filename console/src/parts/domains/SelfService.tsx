import { useRead } from '../../api/queries.ts'
import { texts } from '../../texts/texts.ts'
import { CheckField } from '../Form.tsx'
import { useAct } from '../useAct.ts'
import type { Account } from './domain.ts'

/** Whether the administrators set up single sign-on, where the application decides that for each one. */
export function SelfService({ account }: { account: Account }) {
  const { systemId, id: accountId, ssoSelfService } = account
  const system = useRead('/admin/systems/{systemId}', { path: { systemId } })
  const act = useAct()
  if (system.data?.organizationSso !== 'system') return null
  const change = (isOn: boolean) =>
    act(
      (api) =>
        api.patch('/admin/accounts/{accountId}', { path: { accountId }, body: { ssoSelfService: isOn } }),
      texts.parts.saved,
    )
  return (
    <section className="panel">
      <CheckField
        key={account.updatedAt}
        name="ssoSelfService"
        label={texts.accounts.ssoSelfService}
        hint={texts.accounts.ssoSelfServiceHint}
        checked={ssoSelfService}
        onChange={(isOn) => void change(isOn)}
      />
    </section>
  )
}
