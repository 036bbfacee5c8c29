import { useState } from 'react'
import { useMe } from '../../api/context.ts'
import { useChange } from '../../api/queries.ts'
import { fill, texts } from '../../texts/texts.ts'
import { Badge } from '../Badge.tsx'
import { Confirm } from '../Confirm.tsx'
import { Dialog } from '../Dialog.tsx'
import { Form, SelectField } from '../Form.tsx'
import { Icon } from '../Icon.tsx'
import { OneSecret } from '../OneSecret.tsx'
import { Rich } from '../Rich.tsx'
import { Snippet } from '../Snippet.tsx'
import { Time } from '../Time.tsx'
import { useToast } from '../Toasts.tsx'
import { type Key, PATH, type ServiceAccount } from './service-account.ts'
import './Keys.css'

type KeysProps = { keys: readonly Key[]; onRevoke: ((key: Key) => void) | undefined }

/** The keys of a service account, each by its last characters. */
export function ServiceAccountKeys({ keys, onRevoke }: KeysProps) {
  const t = texts.serviceAccounts
  if (keys.length === 0) return <span className="muted">{t.noKeys}</span>
  return (
    <ul className="key-list">
      {keys.map((key) => (
        <li key={key.id}>
          <span>
            <code>…{key.hint}</code> <Expiry at={key.expiresAt} />
            <span className="below">
              {key.lastUsedAt ? (
                <Rich text={t.keyUsed} values={{ time: <Time at={key.lastUsedAt} /> }} />
              ) : (
                t.keyUnused
              )}
            </span>
          </span>
          {onRevoke && (
            <button
              type="button"
              className="icon-button small"
              aria-label={fill(t.revoke, { hint: key.hint })}
              title={fill(t.revoke, { hint: key.hint })}
              onClick={() => onRevoke(key)}
            >
              <Icon name="close" />
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}

function Expiry({ at }: { at: string | null }) {
  const t = texts.serviceAccounts
  if (at === null) return t.keyNoExpiry
  const isOver = Date.parse(at) <= Date.now()
  const text = <Rich text={isOver ? t.keyExpired : t.keyExpires} values={{ time: <Time at={at} /> }} />
  return isOver ? <Badge tone="bad">{text}</Badge> : text
}

type Props = { serviceAccount: ServiceAccount; onClose: () => void }

const placeOf = ({ accountId, id }: ServiceAccount) => ({ accountId, serviceAccountId: id })

/** 90 days, in seconds. */
const LIFETIME = '7776000'

/** Creates a key, and shows it once with the command that gets a token. */
export function NewKey({ serviceAccount, onClose }: Props) {
  const t = texts.serviceAccounts
  const { baseUrl } = useMe().installation
  const [secret, setSecret] = useState<string>()
  const create = useChange((api, expiresIn: number | null) =>
    api.post(`${PATH}/{serviceAccountId}/keys`, { path: placeOf(serviceAccount), body: { expiresIn } }),
  )
  const { name, clientId } = serviceAccount
  if (secret !== undefined)
    return (
      <OneSecret title={fill(t.keyTitle, { name })} lead={t.keyOnce} secret={secret} onClose={onClose}>
        <Snippet
          label={t.command}
          code={`curl ${baseUrl}/token \\\n  -d grant_type=client_credentials \\\n  -u '${clientId}:${secret}'`}
        />
      </OneSecret>
    )
  const submit = (data: FormData) =>
    create.mutateAsync(Number(data.get('expiresIn')) || null).then(
      (key) => setSecret(key.secret),
      () => undefined, // the form shows the error
    )
  return (
    <Dialog title={fill(t.newKeyTitle, { name })} onClose={onClose}>
      <p className="muted">{t.newKeyLead}</p>
      <Form state={create} submit={t.newKey} onCancel={onClose} onSubmit={(data) => void submit(data)}>
        <SelectField name="expiresIn" label={t.expiresIn} value={LIFETIME} options={t.lifetimes} />
      </Form>
    </Dialog>
  )
}

export function RevokeKey({ serviceAccount, of: key, onClose }: Props & { of: Key }) {
  const t = texts.serviceAccounts
  const toast = useToast()
  const revoke = useChange(
    (api, keyId: string) =>
      api.delete(`${PATH}/{serviceAccountId}/keys/{keyId}`, { path: { ...placeOf(serviceAccount), keyId } }),
    {
      onSuccess: () => {
        toast(t.revoked)
        onClose()
      },
    },
  )
  return (
    <Confirm
      title={fill(t.revokeTitle, { hint: key.hint })}
      submit={fill(t.revoke, { hint: key.hint })}
      state={revoke}
      onConfirm={() => revoke.mutate(key.id)}
      onClose={onClose}
    >
      <p>{t.revokeLead}</p>
    </Confirm>
  )
}

export function DeleteServiceAccount({ serviceAccount, onClose }: Props) {
  const t = texts.serviceAccounts
  const toast = useToast()
  const { name } = serviceAccount
  const remove = useChange(
    (api, path: ReturnType<typeof placeOf>) => api.delete(`${PATH}/{serviceAccountId}`, { path }),
    {
      onSuccess: () => {
        toast(fill(t.deleted, { name }))
        onClose()
      },
    },
  )
  return (
    <Confirm
      title={fill(t.deleteTitle, { name })}
      submit={t.delete}
      state={remove}
      onConfirm={() => remove.mutate(placeOf(serviceAccount))}
      onClose={onClose}
    >
      <p>{t.deleteLead}</p>
    </Confirm>
  )
}
