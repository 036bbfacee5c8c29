import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useChange, useContextKey, useRead } from '../../api/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Choice } from '../Choice.tsx'
import { Dialog } from '../Dialog.tsx'
import { CheckField, Form, isChecked, SelectField, TextField, textOf } from '../Form.tsx'
import { useToast } from '../Toasts.tsx'
import { type Account, atField, type Connection, PATH } from './connection.ts'

type Kind = Connection['kind']

/** What identifies a person at Entra ID: `sub` and the NameID are others for each registered application. */
const OF_ENTRA: Record<Kind, string> = {
  oidc: 'oid',
  saml: 'http://schemas.microsoft.com/identity/claims/objectidentifier',
}

/** A draft, whose page then has the values that the provider asks for. */
export function NewConnection({ account, onClose }: { account: Account; onClose: () => void }) {
  const t = texts.connections
  const context = useContextKey()
  const toast = useToast()
  const navigate = useNavigate()
  const { id: accountId, systemId } = account
  const [kind, setKind] = useState<Kind>('oidc')
  const create = useChange(
    async (api, data: FormData) => {
      // First: what fails then can be sent again.
      if (isChecked(data, 'addressFirst'))
        await api.patch('/admin/systems/{systemId}', { path: { systemId }, body: { addressFirst: true } })
      const body = {
        name: textOf(data, 'name') ?? '',
        kind,
        ...(data.get('service') === 'entra' && { subjectAttribute: OF_ENTRA[kind] }),
      }
      return api
        .post(PATH, { path: { accountId }, body })
        .catch(atField({ saml_disabled: 'kind', connection_exists: 'name' }))
    },
    {
      onSuccess: ({ id: connectionId }) => {
        toast(t.created)
        void navigate({
          to: '/$context/accounts/$accountId/connections/$connectionId',
          params: { context, accountId, connectionId },
        })
      },
    },
  )
  return (
    <Dialog title={t.add} onClose={onClose}>
      <p className="muted">{t.newLead}</p>
      <Form state={create} submit={texts.parts.create} onCancel={onClose} onSubmit={create.mutate}>
        <TextField name="name" label={t.name} hint={t.nameHint} required autoFocus maxLength={100} />
        <Choice
          name="kind"
          legend={t.kind}
          options={t.kinds}
          hints={t.kindHints}
          value={kind}
          onChange={setKind}
        />
        <SelectField
          name="service"
          label={t.service}
          options={kind === 'saml' ? { ...t.services, other: t.otherSaml } : t.services}
        />
        <AddressFirst account={account} />
      </Form>
    </Dialog>
  )
}

/** Proposed to who may change the application, with the first connection of an organization. */
function AddressFirst({ account: { id: accountId, systemId } }: { account: Account }) {
  const { kind } = usePlace()
  const isReadable = kind !== 'account' // an admin of an organization does not read the application
  const system = useRead('/admin/systems/{systemId}', { path: { systemId } }, { enabled: isReadable })
  const connections = useRead(PATH, { path: { accountId } })
  if (system.data?.addressFirst !== false || connections.data?.length !== 0) return null
  const { addressFirst, addressFirstHint } = texts.settings
  return <CheckField name="addressFirst" label={addressFirst} hint={addressFirstHint} />
}
