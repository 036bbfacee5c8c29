import { useState } from 'react'
import { texts } from '../texts/texts.ts'
import { Dialog } from './Dialog.tsx'
import { Form, SelectField } from './Form.tsx'
import { OneSecret } from './OneSecret.tsx'

type Props = {
  title: string
  lead: string
  /** The state of the change that replaces the secret. */
  state: { error: unknown; isPending: boolean }
  /** Replaces it, and resolves to the new one. */
  onRotate: (graceSeconds: number) => Promise<string>
  onClose: () => void
}

/** Replaces a secret, and shows the new one once. */
export function RotateSecret({ title, lead, state, onRotate, onClose }: Props) {
  const [secret, setSecret] = useState<string>()
  const t = texts.settings
  if (secret !== undefined)
    return <OneSecret title={t.newSecret} lead={t.newSecretLead} secret={secret} onClose={onClose} />
  const rotate = (data: FormData) =>
    onRotate(Number(data.get('graceSeconds'))).then(setSecret, () => undefined) // the form shows the error
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{lead}</p>
      <Form state={state} submit={t.rotate} onCancel={onClose} onSubmit={(data) => void rotate(data)}>
        <SelectField name="graceSeconds" label={t.grace} value="86400" options={t.graces} />
      </Form>
    </Dialog>
  )
}
