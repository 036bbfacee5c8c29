import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { fill, texts } from '../../texts/texts.ts'
import { Badge } from '../Badge.tsx'
import { Copy } from '../Copy.tsx'
import { Failed } from '../Failed.tsx'
import { Icon } from '../Icon.tsx'
import { MenuItem, MoreMenu } from '../Menu.tsx'
import { type Names, useNames } from '../names.ts'
import { Empty } from '../Page.tsx'
import { type Column, Table } from '../Table.tsx'
import { useAct } from '../useAct.ts'
import { DeleteServiceAccount, NewKey, RevokeKey, ServiceAccountKeys } from './Keys.tsx'
import { ServiceAccountForm } from './ServiceAccountForm.tsx'
import {
  type Account,
  type Key,
  PATH,
  type ServiceAccount,
  useIsAllowed,
  useIsReserved,
} from './service-account.ts'

/** The dialog that is open. */
type Open =
  | { name: 'new' }
  | { name: 'edit' | 'key' | 'delete'; of: ServiceAccount }
  | { name: 'revoke'; of: ServiceAccount; key: Key }

/** The button that creates a service account, for those who may, and the list with its dialogs. */
export function useServiceAccounts(account: Account): { button: ReactNode; list: ReactNode } {
  const { canChange } = usePlace()
  const [open, setOpen] = useState<Open>()
  const isAllowed = useIsAllowed(account)
  const button = canChange && isAllowed && (
    <button type="button" className="primary" onClick={() => setOpen({ name: 'new' })}>
      <Icon name="plus" />
      {texts.serviceAccounts.new}
    </button>
  )
  const list = (
    <>
      <ServiceAccountList account={account} isAllowed={isAllowed} add={button} onOpen={setOpen} />
      {open && <OpenDialog account={account} open={open} setOpen={setOpen} />}
    </>
  )
  return { button, list }
}

type DialogProps = { account: Account; open: Open; setOpen: (open: Open | undefined) => void }

function OpenDialog({ account, open, setOpen }: DialogProps) {
  const onClose = () => setOpen(undefined)
  if (open.name === 'key') return <NewKey serviceAccount={open.of} onClose={onClose} />
  if (open.name === 'delete') return <DeleteServiceAccount serviceAccount={open.of} onClose={onClose} />
  if (open.name === 'revoke') return <RevokeKey serviceAccount={open.of} of={open.key} onClose={onClose} />
  return (
    <ServiceAccountForm
      account={account}
      serviceAccount={open.name === 'edit' ? open.of : undefined}
      onCreated={(created) => setOpen({ name: 'key', of: created })}
      onClose={onClose}
    />
  )
}

type ListProps = {
  account: Account
  isAllowed: boolean | undefined
  add: ReactNode
  onOpen: (open: Open) => void
}

function ServiceAccountList({ account, isAllowed, add, onOpen }: ListProps) {
  const { canChange } = usePlace()
  const t = texts.serviceAccounts
  const path = { accountId: account.id }
  const read = useRead(PATH, { path })
  const rows = read.data ?? []
  const names = useNames(rows.flatMap(({ roles }) => roles))
  const isReserved = useIsReserved(account)
  if (read.error && !read.data) return <Failed error={read.error} onRetry={() => void read.refetch()} />
  if (!read.data) return null
  const isOff = isAllowed === false
  if (rows.length === 0)
    return (
      <Empty title={isOff ? t.notAllowed : t.empty}>
        <p>{t.emptyLead}</p>
        {isOff ? <HowToAllow account={account} /> : add}
      </Empty>
    )
  return (
    <>
      {isOff && (
        <div className="notice">
          <p>{t.notAllowedLead}</p>
          <HowToAllow account={account} />
        </div>
      )}
      <Table
        label={t.title}
        columns={columnsOf(names, isReserved, canChange ? onOpen : undefined)}
        rows={rows}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        {...(canChange && {
          onOpen: (of: ServiceAccount) => onOpen({ name: 'edit', of }),
          canOpen: (row: ServiceAccount) => !isReserved(row),
          menu: (row: ServiceAccount) =>
            !isReserved(row) && <RowMenu row={row} isOff={isOff} onOpen={onOpen} />,
        })}
      />
    </>
  )
}

/** The way to the setting, for those who may change it. */
function HowToAllow({ account }: { account: Account }) {
  const { key, kind, canChange } = usePlace()
  const t = texts.serviceAccounts
  if (kind !== 'platform' || !canChange) return <p>{t.operatorAllows}</p>
  return (
    <Link
      to="/$context/systems/$systemId"
      params={{ context: key, systemId: account.systemId }}
      search={{ tab: 'signIn' }}
    >
      {t.allowIt}
    </Link>
  )
}

type MenuProps = { row: ServiceAccount; isOff: boolean; onOpen: (open: Open) => void }

function RowMenu({ row, isOff, onOpen }: MenuProps) {
  const t = texts.serviceAccounts
  const act = useAct()
  const { id: serviceAccountId, accountId, name, disabled } = row
  const set = (value: boolean) => (api: Parameters<Parameters<typeof act>[0]>[0]) =>
    api.patch(`${PATH}/{serviceAccountId}`, {
      path: { accountId, serviceAccountId },
      body: { disabled: value },
    })
  const done = fill(disabled ? t.enabledDone : t.disabledDone, { name })
  return (
    <MoreMenu name={name}>
      <MenuItem onClick={() => onOpen({ name: 'edit', of: row })}>{texts.parts.edit}</MenuItem>
      {!isOff && <MenuItem onClick={() => onOpen({ name: 'key', of: row })}>{t.newKey}</MenuItem>}
      {!(isOff && disabled) && (
        <MenuItem onClick={() => void act(set(!disabled), done, isOff ? {} : { undo: set(disabled) })}>
          {disabled ? t.enable : t.disable}
        </MenuItem>
      )}
      <MenuItem danger onClick={() => onOpen({ name: 'delete', of: row })}>
        {t.delete}
      </MenuItem>
    </MoreMenu>
  )
}

function columnsOf(
  names: Names,
  isReserved: (of: ServiceAccount) => boolean,
  onOpen: ((open: Open) => void) | undefined,
): Column<ServiceAccount>[] {
  const t = texts.serviceAccounts
  return [
    {
      key: 'name',
      title: t.name,
      cell: (row) => (
        <>
          <strong>{row.name}</strong> {row.disabled && <Badge tone="plain">{t.disabled}</Badge>}
          {isReserved(row) && <span className="below">{t.reserved}</span>}
        </>
      ),
    },
    { key: 'clientId', title: t.clientId, cell: ({ clientId }) => <Copy text={clientId} /> },
    {
      key: 'roles',
      title: t.roles,
      cell: ({ roles }) =>
        roles.length > 0
          ? roles.map((id) => names.of(id)?.name ?? id.slice(0, 8)).join(', ')
          : texts.members.noRoles,
    },
    {
      key: 'keys',
      title: t.keys,
      cell: (row) => (
        <ServiceAccountKeys
          keys={row.keys}
          onRevoke={onOpen && ((key) => onOpen({ name: 'revoke', of: row, key }))}
        />
      ),
    },
  ]
}
