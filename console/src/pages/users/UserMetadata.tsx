import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { Problem } from '../../api/problem.ts'
import { useChange } from '../../api/queries.ts'
import { Form, TextField } from '../../parts/Form.tsx'
import { objectOf, shownObject } from '../../parts/json-object.ts'
import { useToast } from '../../parts/Toasts.tsx'
import { texts } from '../../texts/texts.ts'
import { ifUnchanged } from './EditUser.tsx'
import type { User } from './user.ts'

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
  if (!canChange) return <pre>{shownObject(current.metadata ?? {})}</pre>
  const isConflict = save.error instanceof Problem && save.error.code === 'version_conflict'
  return (
    <section className="narrow" key={user.updatedAt}>
      <p className="muted">{t.metadataLead}</p>
      <Form
        state={save}
        submit={texts.parts.save}
        onSubmit={(data) => save.mutateAsync(String(data.get('metadata'))).catch(() => {})}
      >
        <TextField
          name="metadata"
          label={t.metadata}
          value={shownObject(user.metadata ?? {})}
          lines={18}
          isCode
        />
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
