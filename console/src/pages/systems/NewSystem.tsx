import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Admin } from '../../../../sdk/src/operations.ts'
import { type Answer, useChange, useContextKey } from '../../api/queries.ts'
import { Choice } from '../../parts/Choice.tsx'
import { Copy } from '../../parts/Copy.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { messageOf } from '../../parts/Failed.tsx'
import { CheckField, Form, isChecked, TextField, textOf } from '../../parts/Form.tsx'
import { fill, texts } from '../../texts/texts.ts'

type Type = 'web' | 'spa' | 'native' | 'service'
type Audience = 'individuals' | 'organizations'

const EXAMPLES: Record<Exclude<Type, 'service'>, string> = {
  web: 'https://app.example.com/callback',
  spa: 'https://app.example.com/callback',
  native: 'http://127.0.0.1/callback',
}

/** With refresh tokens: users stay signed in. */
const SCOPES: ('openid' | 'email' | 'profile' | 'offline_access')[] = [
  'openid',
  'email',
  'profile',
  'offline_access',
]

/** The settings that follow from the answers. */
const bodyOf = (data: FormData, type: Type, audience: Audience) => ({
  name: textOf(data, 'name') ?? '',
  clientType: type === 'spa' || type === 'native' ? ('public' as const) : ('confidential' as const),
  multiAccount: type !== 'service' && audience === 'organizations',
  allowClientCredentials: type === 'service',
  allowedScopes: SCOPES,
  skipConsent: isChecked(data, 'skipConsent'),
  redirectUris: type === 'service' ? [] : [textOf(data, 'redirectUris/0') ?? ''].filter(Boolean),
})

/** Without it, no user can be added to an organization with the right to manage it. */
const createAdminRole = (api: Admin, systemId: string) =>
  api.post('/admin/systems/{systemId}/roles', {
    path: { systemId },
    body: { name: texts.systems.adminRole, isAdmin: true },
  })

/** The application exists even if its role could not be created: `fault` says why. */
async function createSystem(api: Admin, body: ReturnType<typeof bodyOf>, withRole: boolean) {
  const system: Created = await api.post('/admin/systems', { body })
  const fault = withRole ? await createAdminRole(api, system.id).then(() => null, messageOf) : null
  return { system, fault }
}

/** Two questions, then the client id and the secret. */
export function NewSystem({ onClose }: { onClose: () => void }) {
  const context = useContextKey()
  const navigate = useNavigate()
  const [type, setType] = useState<Type>('web')
  const [audience, setAudience] = useState<Audience>('individuals')
  const create = useChange((api, data: FormData) =>
    createSystem(api, bodyOf(data, type, audience), isChecked(data, 'adminRole')),
  )
  const t = texts.systems
  const created = create.data
  if (created) {
    const toPage = () => {
      onClose()
      void navigate({
        to: '/$context/systems/$systemId',
        params: { context, systemId: created.system.id },
        search: { tab: 'quickStart' },
      })
    }
    return <Ready {...created} onClose={toPage} />
  }
  return (
    <Dialog title={t.new} onClose={onClose}>
      <Form state={create} submit={texts.parts.create} onCancel={onClose} onSubmit={create.mutate}>
        <TextField name="name" label={t.newName} hint={t.newNameHint} required autoFocus maxLength={100} />
        <Choice
          name="type"
          legend={t.whatKind}
          options={t.types}
          hints={t.typeHints}
          value={type}
          onChange={setType}
        />
        {type !== 'service' && (
          <>
            <Choice
              name="audience"
              legend={t.whoUses}
              options={t.audiences}
              hints={t.audienceHints}
              value={audience}
              onChange={setAudience}
            />
            {audience === 'organizations' && (
              <CheckField name="adminRole" label={t.withAdminRole} hint={t.withAdminRoleHint} checked />
            )}
            <TextField
              name="redirectUris/0"
              label={t.redirectUri}
              hint={t.redirectUriHint}
              placeholder={EXAMPLES[type]}
              isOptional
              maxLength={2_000}
            />
            <CheckField
              key={type}
              name="skipConsent"
              label={texts.settings.skipConsent}
              hint={texts.settings.skipConsentHint}
              checked={type !== 'native'} // another program of the device can use its redirect URI (RFC 8252 8.6)
            />
          </>
        )}
      </Form>
    </Dialog>
  )
}

type Created = Answer<'/admin/systems/{systemId}'> & { clientSecret?: string }

type ReadyProps = { system: Created; fault: string | null; onClose: () => void }

/** The only place that has the secret: it is gone when the dialog is closed. */
function Ready({ system, fault, onClose }: ReadyProps) {
  const t = texts.systems
  return (
    <Dialog title={fill(t.createdTitle, { name: system.name })} onClose={onClose}>
      {fault !== null && <MissingRole systemId={system.id} fault={fault} />}
      <p>{system.clientSecret ? t.secretLead : t.noSecretLead}</p>
      <Facts
        facts={[
          [t.clientId, <Copy key="id" text={system.clientId} />],
          ...(system.clientSecret
            ? ([
                [t.clientSecret, <Copy key="secret" text={system.clientSecret} />],
                [t.inTerminal, <Copy key="line" text={`export CLIENT_SECRET='${system.clientSecret}'`} />],
              ] as const)
            : []),
        ]}
      />
      <div className="dialog-actions">
        <button type="button" className="primary" onClick={onClose}>
          {t.toQuickStart}
        </button>
      </div>
    </Dialog>
  )
}

/** Says why there is no role, and creates it. */
function MissingRole({ systemId, fault }: { systemId: string; fault: string }) {
  const create = useChange((api) => createAdminRole(api, systemId))
  const t = texts.systems
  if (create.isSuccess) return <p role="status">{t.roleCreated}</p>
  const reason = create.error ? messageOf(create.error) : fault
  return (
    <div className="problem with-space" role="alert">
      <p>{fill(t.roleFailed, { reason })}</p>
      <button
        type="button"
        aria-disabled={create.isPending}
        onClick={() => !create.isPending && create.mutate(undefined)}
      >
        {t.createRole}
      </button>
    </div>
  )
}
