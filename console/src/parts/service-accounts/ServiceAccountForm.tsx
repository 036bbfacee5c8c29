import { useChange } from '../../api/queries.ts'
import { fill, texts } from '../../texts/texts.ts'
import { Dialog } from '../Dialog.tsx'
import { Form, TextField, textOf } from '../Form.tsx'
import { RoleChecks } from '../members/MemberForm.tsx'
import { useToast } from '../Toasts.tsx'
import { type Account, PATH, type ServiceAccount } from './service-account.ts'

type Props = {
  account: Account
  serviceAccount: ServiceAccount | undefined
  onCreated: (created: ServiceAccount) => void
  onClose: () => void
}

/** What a change contains: roles only if they differ, since they need more rights than the name. */
function patchOf(data: FormData, before: ServiceAccount) {
  const roles = data.getAll('roles').map(String)
  const isSame = roles.length === before.roles.length && roles.every((each) => before.roles.includes(each))
  return { name: textOf(data, 'name') ?? '', ...(!isSame && { roles }) }
}

/** A new service account, or one that exists. */
export function ServiceAccountForm({ account, serviceAccount, onCreated, onClose }: Props) {
  const t = texts.serviceAccounts
  const toast = useToast()
  const { id: accountId, systemId } = account
  const save = useChange<FormData, ServiceAccount>(
    (api, data) => {
      if (serviceAccount) {
        const path = { accountId, serviceAccountId: serviceAccount.id }
        return api.patch(`${PATH}/{serviceAccountId}`, { path, body: patchOf(data, serviceAccount) })
      }
      const body = { name: textOf(data, 'name') ?? '', roles: data.getAll('roles').map(String) }
      return api.post(PATH, { path: { accountId }, body })
    },
    {
      onSuccess: (saved) => {
        toast(serviceAccount ? t.saved : t.created)
        if (serviceAccount) onClose()
        else onCreated(saved)
      },
    },
  )
  return (
    <Dialog title={serviceAccount ? fill(t.edit, { name: serviceAccount.name }) : t.new} onClose={onClose}>
      {!serviceAccount && <p className="muted">{t.newLead}</p>}
      <Form
        state={save}
        submit={serviceAccount ? texts.parts.save : texts.parts.create}
        onCancel={onClose}
        onSubmit={save.mutate}
      >
        <TextField
          name="name"
          label={t.name}
          hint={t.nameHint}
          value={serviceAccount?.name ?? ''}
          required
          autoFocus
          maxLength={100}
        />
        <RoleChecks systemId={systemId} checked={serviceAccount?.roles ?? []} adminHint={t.adminHint} />
      </Form>
    </Dialog>
  )
}
