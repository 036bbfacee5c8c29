import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { CheckField, isChecked, TextField, textOf } from '../../parts/Form.tsx'
import { objectOf, shownObject } from '../../parts/json-object.ts'
import { Editing, useEdited } from '../../parts/settings/editing.tsx'
import { Section, SettingsForm } from '../../parts/settings/SettingsForm.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { count, fill, texts } from '../../texts/texts.ts'
import { AccountColor, AccountLogo } from './AccountBrand.tsx'
import type { Account } from './account.ts'
import { Suspension } from './Suspension.tsx'

type Props = { account: Account }

/** Its settings as one form, then what is stored at once or ends something. */
export function AccountSettings({ account, reload }: Props & { reload: () => Promise<Account | undefined> }) {
  const { canChange, kind } = usePlace()
  const canDecide = canChange && kind !== 'account'
  const isOrganization = account.kind === 'organization'
  const t = texts.accounts
  const [isDeleting, setDeleting] = useState(false)
  return (
    <div className="narrow">
      <Editing
        read={account}
        reload={reload}
        send={(api, { metadata, ...body }, headers) =>
          api.patch('/admin/accounts/{accountId}', {
            path: { accountId: account.id },
            body: { ...body, ...(metadata !== undefined && { metadata: objectOf(String(metadata)) }) },
            headers,
          })
        }
      >
        <SettingsForm>
          <General />
          {isOrganization && <AccountColor />}
        </SettingsForm>
        {isOrganization && <AccountLogo />}
        {canDecide && isOrganization && <Suspension account={account} />}
      </Editing>
      {canDecide && (
        <section className="panel">
          <h2>{t.delete}</h2>
          <p className="muted">{t.deleteHint}</p>
          <button type="button" className="danger" onClick={() => setDeleting(true)}>
            {t.delete}
          </button>
        </section>
      )}
      {isDeleting && <Delete account={account} onClose={() => setDeleting(false)} />}
    </div>
  )
}

const FLAGS = ['membersVisible', 'acceptOtherAddress', 'requireMfa'] as const

/** A personal account has no pages and no invitations. */
const flagsOf = ({ kind }: Account) => (kind === 'organization' ? FLAGS : [])

/** The ranks whose decisions are not undone in a context. */
const ranksAbove = (kind: 'platform' | 'system' | 'account'): string[] =>
  kind === 'platform' ? [] : kind === 'system' ? ['platform'] : ['platform', 'system']

/** The name and the settings of the pages of the organization. */
function General() {
  const { resource: account } = useEdited<Account>()
  const t = texts.accounts
  const { kind } = usePlace()
  const isOwner = kind !== 'account'
  const isAbove = account.requireMfaBy.some((rank) => ranksAbove(kind).includes(rank))
  const flags = flagsOf(account).filter((flag) => flag !== 'requireMfa' || !isAbove)
  const read = (data: FormData) => ({
    name: textOf(data, 'name') ?? '',
    ...Object.fromEntries(flags.map((flag) => [flag, isChecked(data, flag)])),
    ...(isOwner && {
      externalId: textOf(data, 'externalId') ?? null,
      metadata: String(data.get('metadata')),
    }),
  })
  return (
    <Section title={t.general} read={read}>
      <TextField name="name" label={t.name} value={account.name} required maxLength={100} hint={t.nameHint} />
      {flagsOf(account).map((flag) => (
        <CheckField
          key={flag}
          name={flag}
          label={t[flag]}
          hint={flag === 'requireMfa' && isAbove ? t.requireMfaAbove : t[`${flag}Hint`]}
          checked={account[flag]}
          disabled={flag === 'requireMfa' && isAbove}
        />
      ))}
      {isOwner && (
        <>
          <TextField
            name="externalId"
            label={t.externalId}
            hint={t.externalIdHint}
            value={account.externalId ?? ''}
            isOptional
            maxLength={255}
          />
          <TextField
            name="metadata"
            label={texts.users.tabs.metadata}
            hint={t.metadataHint}
            value={shownObject(account.metadata ?? {})}
            lines={6}
            isCode
          />
        </>
      )}
    </Section>
  )
}

function Delete({ account, onClose }: Props & { onClose: () => void }) {
  const { key } = usePlace()
  const t = texts.accounts
  const toast = useToast()
  const navigate = useNavigate()
  const accountId = account.id
  const query = { accountId, pageSize: 1 }
  const members = useRead('/admin/memberships', { query }).data?.total ?? 0
  const sessions = useRead('/admin/sessions', { query }).data?.total ?? 0
  const remove = useChange(
    async (api, path: { accountId: string }) => {
      await api.delete('/admin/accounts/{accountId}', { path })
      await navigate({ to: '/$context/accounts', params: { context: key } }) // before this page reads the account again
    },
    { onSuccess: () => toast(t.deleted) },
  )
  return (
    <Confirm
      title={fill(t.deleteTitle, { name: account.name })}
      submit={texts.parts.delete}
      state={remove}
      {...(members > 0 && { name: account.name })}
      onConfirm={() => remove.mutate({ accountId })}
      onClose={onClose}
    >
      <p>
        {fill(t.deleteLead, {
          members: count(t.deleteMembers, members),
          sessions: count(t.deleteSessions, sessions),
        })}
      </p>
    </Confirm>
  )
}
