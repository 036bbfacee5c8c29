import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { DEFAULT_CALLBACK, ENV_FILE, envOf } from '../../../../quickstarts/stacks.ts'
import type { Admin } from '../../../../sdk/src/operations.ts'
import { useMe } from '../../api/context.ts'
import { type Answer, useChange, useContextKey } from '../../api/queries.ts'
import { Choice } from '../../parts/Choice.tsx'
import { Copy } from '../../parts/Copy.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { messageOf } from '../../parts/Failed.tsx'
import { CheckField, Form, isChecked, TextField, textOf } from '../../parts/Form.tsx'
import { Snippet } from '../../parts/Snippet.tsx'
import { fill, formatList, texts } from '../../texts/texts.ts'
import { randomSecret } from './quick-starts.ts'

type Type = 'web' | 'spa' | 'native' | 'service'
type Audience = 'individuals' | 'organizations'

/** Where the quick starts run. */
const ORIGIN = 'http://localhost:8080'
/** Of an app on the device of the user, which listens on any port (RFC 8252 section 7.3). */
const NATIVE = 'http://127.0.0.1/callback'
/** The paths to which the client library and the quick starts return. */
const CALLBACKS = ['/auth/callback', DEFAULT_CALLBACK]

/** The addresses of an application. `entered`: its origin, or the redirect URI of a native one. */
function addressesOf(type: Type, entered: string | undefined, issuer: string) {
  if (type === 'service' || entered === undefined) return { redirectUris: [] }
  if (type === 'native') return { redirectUris: [entered] }
  const origin = entered.replace(/\/+$/, '')
  // A page of ours leads to http only on the machine of the developer.
  const hasHome = origin.startsWith('https:') || issuer.startsWith('http:')
  return {
    redirectUris: CALLBACKS.map((path) => origin + path),
    postLogoutRedirectUris: [origin, `${origin}/`],
    ...(hasHome && { clientUri: `${origin}/` }),
  }
}

/** With refresh tokens: users stay signed in. */
const SCOPES: ('openid' | 'email' | 'profile' | 'offline_access')[] = [
  'openid',
  'email',
  'profile',
  'offline_access',
]

/** The settings that follow from the answers. */
const bodyOf = (data: FormData, type: Type, audience: Audience, issuer: string) => ({
  name: textOf(data, 'name') ?? '',
  clientType: type === 'spa' || type === 'native' ? ('public' as const) : ('confidential' as const),
  multiAccount: type !== 'service' && audience === 'organizations',
  allowClientCredentials: type === 'service',
  allowedScopes: SCOPES,
  skipConsent: isChecked(data, 'skipConsent'),
  ...addressesOf(type, textOf(data, 'redirectUris/0'), issuer),
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
  const issuer = useMe().installation.baseUrl
  const [type, setType] = useState<Type>('web')
  const [audience, setAudience] = useState<Audience>('individuals')
  const create = useChange((api, data: FormData) =>
    createSystem(api, bodyOf(data, type, audience, issuer), isChecked(data, 'adminRole')),
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
              key={`addresses of ${type}`}
              name="redirectUris/0"
              label={type === 'native' ? t.redirectUri : t.origin}
              hint={
                type === 'native' ? t.redirectUriHint : fill(t.originHint, { paths: formatList(CALLBACKS) })
              }
              value={type === 'native' ? NATIVE : ORIGIN}
              placeholder={type === 'native' ? NATIVE : 'https://app.example.com'}
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
  const issuer = useMe().installation.baseUrl
  const [sessionSecret] = useState(randomSecret)
  const { clientId, clientSecret } = system
  const env = envOf({ issuer, clientId, clientSecret, sessionSecret, port: new URL(ORIGIN).port })
  return (
    <Dialog title={fill(t.createdTitle, { name: system.name })} onClose={onClose}>
      {fault !== null && <MissingRole systemId={system.id} fault={fault} />}
      <p>{system.clientSecret ? t.secretLead : t.noSecretLead}</p>
      <Facts
        facts={[
          [t.clientId, <Copy key="id" text={system.clientId} />],
          ...(system.clientSecret
            ? ([[t.clientSecret, <Copy key="secret" text={system.clientSecret} />]] as const)
            : []),
        ]}
      />
      <h3 className="after">{fill(t.allValues, { file: ENV_FILE })}</h3>
      <Snippet code={env} label={ENV_FILE} />
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
