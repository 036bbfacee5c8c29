import { useState } from 'react'
import type { Admin } from '../../../../sdk/src/operations.ts'
import { usePlace } from '../../api/context.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { count, texts } from '../../texts/texts.ts'
import { addressesOf } from '../addresses.ts'
import { Dialog } from '../Dialog.tsx'
import { Form, TextField, textOf } from '../Form.tsx'
import { PickerField } from '../Picker.tsx'
import { useSources } from '../sources.ts'
import { useToast } from '../Toasts.tsx'
import { useActOnEach } from '../useActOnEach.ts'
import { RoleChecks } from './MemberForm.tsx'

/** What is not given is asked for. */
type Props = {
  userId?: string
  /** Several users, instead of one. */
  users?: readonly { id: string; email: string }[]
  systemId?: string | undefined
  accountId?: string | undefined
  onClose: () => void
  /** Called when all users are members. */
  onDone?: () => void
}

/** A user to add. `name` is shown with the result. */
type Target = { name: string; who: { userId: string } | { email: string } }

const byEmail = (email: string): Target => ({ name: email, who: { email } })

/** In an application for individuals, the user gets an account of their own. */
export function AddMember({ userId, users, systemId: givenSystem, accountId, onClose, onDone }: Props) {
  const { kind, id } = usePlace()
  const t = texts.members
  const toast = useToast()
  const each = useActOnEach()
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
  const addOne = (api: Admin, { who }: Target, roles: string[]) =>
    api.post('/admin/memberships', {
      body: {
        ...(isIndividual ? { systemId: pickedSystem } : { accountId: picked }),
        ...who,
        ...(kind !== 'account' && { status: 'active' as const }),
        roles,
      },
    })
  const add = useChange(
    (api, { target, roles }: { target: Target; roles: string[] }) => addOne(api, target, roles),
    {
      onSuccess: () => {
        toast(count(t.added, 1))
        onDone?.()
        onClose()
      },
    },
  )
  /** If there are several, the result of each is shown after the dialog. */
  const submit = (data: FormData) => {
    const roles = data.getAll('roles').map(String)
    const targets = targetsOf(data, userId, users)
    if (targets.length === 1) return add.mutate({ target: targets[0]!, roles })
    onClose()
    const options = { nameOf: ({ name }: Target) => name, done: (number: number) => count(t.added, number) }
    void each(targets, (api, target) => addOne(api, target, roles), options).then((all) => all && onDone?.())
  }
  const isAddressAsked = !userId && !users
  return (
    <Dialog title={users ? count(t.addUsers, users.length) : t.add} onClose={onClose}>
      {!users && <p className="muted">{kind === 'account' ? t.addOrganizationLead : t.addLead}</p>}
      <Form state={add} submit={texts.parts.add} onCancel={onClose} onSubmit={submit}>
        {isAddressAsked && (
          <TextField
            name="email"
            label={texts.invitations.emails}
            hint={texts.invitations.emailsHint}
            lines={2}
            required
            autoFocus
          />
        )}
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
            label={t.organization}
            source={sources.accounts(kind === 'platform' ? pickedSystem : undefined)}
            onPick={(account) => setPicked(account?.id ?? '')}
          />
        )}
        {systemId && <RoleChecks key={systemId} systemId={systemId} />}
      </Form>
    </Dialog>
  )
}

const targetsOf = (data: FormData, userId: string | undefined, users: Props['users']): readonly Target[] => {
  if (users) return users.map(({ id, email }) => ({ name: email, who: { userId: id } }))
  if (userId) return [{ name: userId, who: { userId } }]
  const emails = addressesOf(textOf(data, 'email') ?? '')
  return (emails.length === 0 ? [''] : emails).map(byEmail) // an empty field is refused by the server
}
