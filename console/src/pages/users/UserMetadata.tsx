import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { Problem } from '../../api/problem.ts'
import { useChange } from '../../api/queries.ts'
import { Form, TextField } from '../../parts/Form.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { fill, texts } from '../../texts/texts.ts'
import { ifUnchanged } from './EditUser.tsx'
import type { User } from './user.ts'

/** The object in a text; throws a Problem of the field with the parser's message. */
function objectOf(text: string): Record<string, unknown> {
  const refuse = (message: string) =>
    new Problem(400, {
      code: 'invalid_request',
      detail: texts.users.notSaved,
      errors: [{ path: '/metadata', message }],
    })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw refuse(fill(texts.users.notJson, { message: (error as Error).message }))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse(texts.users.notObject)
  return value as Record<string, unknown>
}

const shown = (metadata: object) => JSON.stringify(metadata, null, 2)

/** The user as it was when the text was made is the one that is changed. */
export function UserMetadata({ user: current }: { user: User }) {
  const { canChange } = usePlace()
  const t = texts.users
  const toast = useToast()
  const [user, setUser] = useState(current)
  const save = useChange(
    (api, text: string) =>
      api.patch('/admin/users/{userId}', {
        path: { userId: user.id },
        ...ifUnchanged(user),
        body: { metadata: objectOf(text) },
      }),
    {
      onSuccess: (saved) => {
        setUser(saved)
        toast(texts.parts.saved)
      },
    },
  )
  if (!canChange) return <pre>{shown(current.metadata ?? {})}</pre>
  const isConflict = save.error instanceof Problem && save.error.code === 'version_conflict'
  return (
    <section className="narrow" key={user.updatedAt}>
      <p className="muted">{t.metadataLead}</p>
      <Form
        state={save}
        submit={texts.parts.save}
        onSubmit={(data) => save.mutateAsync(String(data.get('metadata'))).catch(() => {})}
      >
        <TextField name="metadata" label={t.metadata} value={shown(user.metadata ?? {})} lines={18} isCode />
      </Form>
      {isConflict && (
        <button
          type="button"
          onClick={() => {
            setUser(current)
            save.reset()
          }}
        >
          {texts.parts.loadAgain}
        </button>
      )}
    </section>
  )
}
