import { useState } from 'react'
import type { Admin } from '../../../../sdk/src/operations.ts'
import { usePlace } from '../../api/context.ts'
import { Problem } from '../../api/problem.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { Choice } from '../../parts/Choice.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { messageOf } from '../../parts/Failed.tsx'
import { CheckField, Form, isChecked, TextField, textOf } from '../../parts/Form.tsx'
import { RoleChecks } from '../../parts/members/MemberForm.tsx'
import { PickerField } from '../../parts/Picker.tsx'
import { useSources } from '../../parts/sources.ts'
import { useToast } from '../../parts/Toasts.tsx'
import { fill, texts } from '../../texts/texts.ts'
import { clientKindOf, type System } from './system.ts'

/** In a system for individuals, only the whole installation adds users. */
export const canAddUsers = (system: System, isPlatform: boolean): boolean =>
  !system.platform && clientKindOf(system) !== 'service' && (isPlatform || system.multiAccount)

/** Creates the user; false if the address has one. */
const createUser = async (api: Admin, data: FormData, email: string): Promise<boolean> => {
  const [name, password] = [textOf(data, 'name') ?? null, textOf(data, 'password')]
  const body = { email, name, emailVerified: isChecked(data, 'emailVerified'), ...(password && { password }) }
  try {
    await api.post('/admin/users', { body })
    return true
  } catch (error) {
    if (error instanceof Problem && error.code === 'email_taken') return false
    throw error
  }
}

/** The account in which the user becomes a member. */
const accountOf = (data: FormData, systemId: string) => {
  const accountId = textOf(data, 'accountId')
  const accountName = textOf(data, 'accountName')
  return accountId ? { accountId } : { systemId, ...(accountName && { accountName }) }
}

/** Why the link to choose a password was not sent; undefined if it was. */
const sendLink = (api: Admin, userId: string): Promise<string | undefined> =>
  api.post('/admin/users/{userId}/send-password-reset', { path: { userId } }).then(() => undefined, messageOf)

type Added = { email: string; isNew: boolean; notSent: string | undefined }

function textOfAdded({ email, isNew, notSent }: Added): string {
  const t = texts.systems.addUser
  if (notSent !== undefined) return fill(t.notSent, { email, reason: notSent })
  return fill(isNew ? t.added : t.existed, { email })
}

/** The addresses whose users the dialog has created: it may be sent again when a later request fails. */
const useAdd = (systemId: string, created: Set<string>, onAdded: (added: Added) => void) =>
  useChange(
    async (api, data: FormData): Promise<Added> => {
      const email = textOf(data, 'email') ?? ''
      if (!created.has(email) && (await createUser(api, data, email))) created.add(email)
      const isNew = created.has(email)
      const roles = data.getAll('roles').map(String)
      const { userId } = await api.post('/admin/memberships', {
        body: { ...accountOf(data, systemId), email, status: 'active', roles },
      })
      const needsLink = isNew && textOf(data, 'password') === undefined
      return { email, isNew, notSent: needsLink ? await sendLink(api, userId) : undefined }
    },
    { onSuccess: onAdded },
  )

/** Creates a user, if the address has none, and lets the user sign in to the application. */
export function AddUser({ system, onClose }: { system: System; onClose: () => void }) {
  const t = texts.systems.addUser
  const { kind } = usePlace()
  const toast = useToast()
  const [created] = useState(() => new Set<string>())
  const add = useAdd(system.id, created, (added) => {
    toast(textOfAdded(added))
    onClose()
  })
  return (
    <Dialog title={fill(t.title, { name: system.name })} onClose={onClose}>
      <Form state={add} submit={texts.parts.add} onCancel={onClose} onSubmit={add.mutate}>
        <TextField name="email" label={texts.users.email} type="email" required autoFocus />
        <TextField name="name" label={texts.users.name} isOptional maxLength={100} />
        <TextField
          name="password"
          label={texts.users.password}
          type="password"
          isOptional
          hint={t.passwordHint}
          autoComplete="new-password"
        />
        {kind === 'platform' && (
          <CheckField
            name="emailVerified"
            label={texts.users.emailVerified}
            hint={texts.users.emailVerifiedHint}
          />
        )}
        {system.multiAccount ? <Membership system={system} /> : <RoleChecks systemId={system.id} hidesNone />}
      </Form>
    </Dialog>
  )
}

/** The organization, new or existing, and the roles in it. */
function Membership({ system }: { system: System }) {
  const t = texts.systems.addUser
  const { kind } = usePlace()
  const sources = useSources()
  const accounts = useRead('/admin/accounts', { query: { systemId: system.id, page: 1, pageSize: 1 } })
  const [chosen, setChosen] = useState<'existing' | 'created'>()
  if (!accounts.data) return null
  const hasAccounts = accounts.data.total > 0
  const where = chosen ?? (hasAccounts ? 'existing' : 'created')
  const founderRoles = where === 'created' && system.founderRoleId ? [system.founderRoleId] : []
  return (
    <>
      {hasAccounts && (
        <Choice
          name="where"
          legend={t.organization}
          options={t.where}
          hints={t.whereHints}
          value={where}
          onChange={setChosen}
        />
      )}
      {where === 'created' ? (
        <TextField
          name="accountName"
          label={t.organizationName}
          {...(!hasAccounts && { hint: t.organizationNameHint })}
          required
          maxLength={100}
        />
      ) : (
        <PickerField
          name="accountId"
          label={texts.members.organization}
          source={sources.accounts(kind === 'platform' ? system.id : undefined)}
        />
      )}
      <RoleChecks key={where} systemId={system.id} checked={founderRoles} />
    </>
  )
}
