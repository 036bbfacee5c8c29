import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { versionOf } from '../../api/call.ts'
import { usePlace } from '../../api/context.ts'
import { type Answer, useChange, useRead } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { CheckField, Form, isChecked, TextField, textOf } from '../../parts/Form.tsx'
import { objectOf, shownObject } from '../../parts/json-object.ts'
import { Time } from '../../parts/Time.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { count, fill, texts } from '../../texts/texts.ts'
import { AccountBrand } from './AccountBrand.tsx'
import { Suspension } from './Suspension.tsx'

type Props = { account: Answer<'/admin/accounts/{accountId}'> }

export function AccountSettings({ account }: Props) {
  const { canChange, kind } = usePlace()
  const canDecide = canChange && kind !== 'account'
  const t = texts.accounts
  const [isDeleting, setDeleting] = useState(false)
  return (
    <div className="narrow">
      <section className="panel">
        {canChange ? (
          <Settings key={account.updatedAt} account={account} />
        ) : (
          <Facts
            facts={[
              [t.name, account.name],
              ...flagsOf(account).map((flag): [string, string] => [
                t[flag],
                account[flag] ? texts.parts.yes : texts.parts.no,
              ]),
              [t.created, <Time key="created" at={account.createdAt} />],
            ]}
          />
        )}
      </section>
      {account.kind === 'organization' && (
        <AccountBrand key={`brand ${account.updatedAt}`} account={account} />
      )}
      {canDecide && account.kind === 'organization' && <Suspension account={account} />}
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
const flagsOf = ({ kind }: Props['account']) => (kind === 'organization' ? FLAGS : [])

/** The ranks whose decisions are not undone in a context. */
const ranksAbove = (kind: 'platform' | 'system' | 'account'): string[] =>
  kind === 'platform' ? [] : kind === 'system' ? ['platform'] : ['platform', 'system']

/** The name and the settings of the pages of the organization. */
function Settings({ account }: Props) {
  const t = texts.accounts
  const toast = useToast()
  const { kind } = usePlace()
  const version = versionOf(account)
  const isOwner = kind !== 'account'
  const isAbove = account.requireMfaBy.some((rank) => ranksAbove(kind).includes(rank))
  const save = useChange(
    async (api, data: FormData) =>
      api.patch('/admin/accounts/{accountId}', {
        path: { accountId: account.id },
        ...(version && { headers: { 'If-Match': version } }),
        body: {
          name: textOf(data, 'name') ?? '',
          ...Object.fromEntries(
            flagsOf(account)
              .filter((flag) => flag !== 'requireMfa' || isChecked(data, flag) !== account.requireMfa)
              .map((flag) => [flag, isChecked(data, flag)]),
          ),
          ...(isOwner && {
            externalId: textOf(data, 'externalId') ?? null,
            metadata: objectOf(String(data.get('metadata'))),
          }),
        },
      }),
    { onSuccess: () => toast(texts.parts.saved) },
  )
  return (
    <Form state={save} submit={texts.parts.save} onSubmit={(data) => save.mutateAsync(data).catch(() => {})}>
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
            label={texts.users.metadata}
            hint={t.metadataHint}
            value={shownObject(account.metadata ?? {})}
            lines={6}
            isCode
          />
        </>
      )}
    </Form>
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
