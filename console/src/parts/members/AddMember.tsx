import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Dialog } from '../Dialog.tsx'
import { Form, TextField, textOf } from '../Form.tsx'
import { PickerField } from '../Picker.tsx'
import { useSources } from '../sources.ts'
import { useToast } from '../Toasts.tsx'
import { RoleChecks } from './MemberForm.tsx'

/** What is not given is asked for. */
type Props = {
  userId?: string
  systemId?: string | undefined
  accountId?: string | undefined
  onClose: () => void
}

/** In an application for individuals, the user gets an account of their own. */
export function AddMember({ userId, systemId: givenSystem, accountId, onClose }: Props) {
  const { kind, id } = usePlace()
  const t = texts.members
  const toast = useToast()
  const sources = useSources()
  const [picked, setPicked] = useState(accountId ?? (kind === 'account' ? id : ''))
  const [pickedSystem, setPickedSystem] = useState(givenSystem ?? (kind === 'system' ? id : ''))
  const asksSystem = kind === 'platform' && !accountId
  const system = useRead(
    '/admin/systems/{systemId}',
    { path: { systemId: pickedSystem } },
    { enabled: asksSystem && pickedSystem !== '' },
  )
  const asksAccount = !accountId && (asksSystem ? system.data?.multiAccount === true : kind === 'system')
  const isIndividual = asksSystem && pickedSystem !== '' && system.data?.multiAccount === false
  const account = useRead(
    '/admin/accounts/{accountId}',
    { path: { accountId: picked } },
    { enabled: picked !== '' },
  )
  const systemId = isIndividual ? pickedSystem : picked === '' ? undefined : account.data?.systemId
  const add = useChange(
    (api, data: FormData) =>
      api.post('/admin/memberships', {
        body: {
          ...(isIndividual ? { systemId: pickedSystem } : { accountId: picked }),
          ...(userId ? { userId } : { email: textOf(data, 'email') ?? '' }),
          ...(kind !== 'account' && { status: 'active' as const }),
          roles: data.getAll('roles').map(String),
        },
      }),
    {
      onSuccess: () => {
        toast(t.added)
        onClose()
      },
    },
  )
  return (
    <Dialog title={t.add} onClose={onClose}>
      <p className="muted">{kind === 'account' ? t.addAccountLead : t.addLead}</p>
      <Form state={add} submit={texts.parts.add} onCancel={onClose} onSubmit={add.mutate}>
        {!userId && <TextField name="email" label={t.email} type="email" required autoFocus />}
        {asksSystem && !givenSystem && (
          <PickerField
            name="systemId"
            label={t.system}
            source={sources.systems()}
            onPick={(next) => {
              setPicked('')
              setPickedSystem(next?.id ?? '')
            }}
          />
        )}
        {asksAccount && (
          <PickerField
            key={pickedSystem}
            name="accountId"
            label={t.account}
            source={sources.accounts(kind === 'platform' ? pickedSystem : undefined)}
            onPick={(account) => setPicked(account?.id ?? '')}
          />
        )}
        {systemId && <RoleChecks key={systemId} systemId={systemId} />}
      </Form>
    </Dialog>
  )
}
