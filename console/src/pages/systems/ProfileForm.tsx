import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Form, TextField, textOf } from '../../parts/Form.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { fill, texts } from '../../texts/texts.ts'
import { Attributes, jsonValueOf, type Pair, pairsOf } from './Attributes.tsx'
import type { Profile } from './system.ts'

type Props = { systemId: string; profile: Profile | undefined; onClose: () => void }

/** A new profile, or one that exists. */
export function ProfileForm({ systemId, profile, onClose }: Props) {
  const toast = useToast()
  const t = texts.settings
  const [pairs, setPairs] = useState<Pair[] | null>(() => pairsOf(profile?.attributes ?? {}))
  const save = useChange<FormData, unknown>(
    (api, data) => {
      const attributes = Object.fromEntries(
        (pairs ?? []).filter(({ name }) => name !== '').map(({ name, value }) => [name, jsonValueOf(value)]),
      )
      const body = {
        name: textOf(data, 'name') ?? '',
        description: textOf(data, 'description') ?? null,
        attributes,
      }
      const path = { systemId, profileId: profile?.id ?? '' }
      return profile
        ? api.patch('/admin/systems/{systemId}/profiles/{profileId}', { path, body })
        : api.post('/admin/systems/{systemId}/profiles', { path: { systemId }, body })
    },
    {
      onSuccess: () => {
        toast(texts.parts.saved)
        onClose()
      },
    },
  )
  const send = (data: FormData) => {
    if (pairs) save.mutate(data)
  }
  return (
    <Dialog title={profile ? fill(t.editRole, { name: profile.name }) : t.newProfile} onClose={onClose}>
      <Form
        state={save}
        submit={profile ? texts.parts.save : texts.parts.create}
        onCancel={onClose}
        onSubmit={send}
      >
        <TextField
          name="name"
          label={texts.systems.newName}
          value={profile?.name ?? ''}
          required
          autoFocus
          maxLength={100}
        />
        <TextField
          name="description"
          label={t.description}
          value={profile?.description ?? ''}
          isOptional
          maxLength={1_000}
        />
        <Attributes pairs={pairs} onChange={setPairs} />
      </Form>
    </Dialog>
  )
}
