import { useState } from 'react'
import type { Admin } from '../../../../sdk/src/operations.ts'
import { useMe } from '../../api/context.ts'
import { useChange } from '../../api/queries.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { messageOf } from '../../parts/Failed.tsx'
import { Form, SelectField, TextField, textOf } from '../../parts/Form.tsx'
import { OneSecret } from '../../parts/OneSecret.tsx'
import { PickerField } from '../../parts/Picker.tsx'
import { useSources } from '../../parts/sources.ts'
import { useToast } from '../../parts/Toasts.tsx'
import { fill, texts } from '../../texts/texts.ts'

/** Finds or creates the user of an address. `created` has the users that the dialog has created. */
async function userOf(api: Admin, data: FormData, created: Map<string, string>) {
  const email = textOf(data, 'email') ?? ''
  const earlier = created.get(email)
  if (earlier !== undefined) return { id: earlier, isNew: true }
  const [user] = (await api.get('/admin/users', { query: { email } })).data
  if (user) return { id: user.id, isNew: false }
  const { id } = await api.post('/admin/users', { body: { email, name: textOf(data, 'name') ?? null } })
  created.set(email, id)
  return { id, isNew: true }
}

type Access = { temporaryPassword?: string; fault?: string }

/**
 * A new user gets an email with a link to choose a password; on a server that sends no email, a temporary
 * password that is shown once. `fault`: why the user got neither.
 */
async function giveAccess(api: Admin, userId: string, sendsEmail: boolean): Promise<Access> {
  const path = { userId }
  try {
    if (!sendsEmail) return await api.post('/admin/users/{userId}/reset-password', { path })
    await api.post('/admin/users/{userId}/send-password-reset', { path })
    return {}
  } catch (error) {
    return { fault: messageOf(error) }
  }
}

type Added = Access & { email: string; isNew: boolean }

function textOfAdded({ email, isNew, fault }: Added): string {
  const t = texts.installation
  if (fault !== undefined) return fill(texts.systems.addUser.notSent, { email, reason: fault })
  return isNew ? t.addedNew : t.added
}

/** Adds an operator. If the address has no user, one is created. */
export function NewOperator({ onClose }: { onClose: () => void }) {
  const t = texts.installation
  const toast = useToast()
  const { sendsEmail } = useMe().installation
  const [created] = useState(() => new Map<string, string>())
  const sources = useSources()
  const create = useChange(
    async (api, data: FormData): Promise<Added> => {
      const { id: userId, isNew } = await userOf(api, data, created)
      const level = data.get('level') as 'admin' | 'viewer'
      const body = { userId, systemId: textOf(data, 'systemId') ?? null, level }
      await api.post('/admin/operators', { body })
      const access = isNew ? await giveAccess(api, userId, sendsEmail) : {}
      return { email: textOf(data, 'email') ?? '', isNew, ...access }
    },
    {
      onSuccess: (added) => {
        if (added.temporaryPassword !== undefined) return
        toast(textOfAdded(added))
        onClose()
      },
    },
  )
  if (create.data?.temporaryPassword !== undefined)
    return (
      <OneSecret
        title={t.added}
        lead={texts.users.temporaryShown}
        secret={create.data.temporaryPassword}
        onClose={onClose}
      />
    )
  return (
    <Dialog title={t.newOperator} onClose={onClose}>
      <Form state={create} submit={texts.parts.add} onCancel={onClose} onSubmit={create.mutate}>
        <TextField
          name="email"
          label={t.email}
          type="email"
          hint={sendsEmail ? t.emailHint : t.emailHintWithoutEmail}
          required
          autoFocus
        />
        <TextField name="name" label={texts.users.name} hint={t.nameHint} isOptional maxLength={100} />
        <PickerField
          name="systemId"
          label={t.place}
          source={sources.systems()}
          placeholder={texts.shell.platform}
          isOptional
        />
        <SelectField name="level" label={t.level} value="viewer" options={t.levels} hint={t.levelHint} />
      </Form>
    </Dialog>
  )
}
