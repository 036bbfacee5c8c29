/** What roles and profiles have in common: members have them. */
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Admin } from '../../../../sdk/src/operations.ts'
import { usePlace } from '../../api/context.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { MenuItem, MoreMenu } from '../../parts/Menu.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { count, fill, texts } from '../../texts/texts.ts'

type Assigned = { id: string; name: string; systemId: string }
/** The filter of the members who have it. */
type Having = { roleId: string } | { profileId: string }

type MenuProps<T> = { item: T; having: Having; onEdit: (item: T) => void; onRemove: (item: T) => void }

export function AssignedMenu<T extends Assigned>({ item, having, onEdit, onRemove }: MenuProps<T>) {
  const { key, kind, canChange } = usePlace()
  const navigate = useNavigate()
  const search = { ...having, ...(kind === 'platform' && { systemId: item.systemId }) }
  return (
    <MoreMenu name={item.name}>
      <MenuItem onClick={() => void navigate({ to: '/$context/members', params: { context: key }, search })}>
        {texts.settings.showMembers}
      </MenuItem>
      {canChange && (
        <>
          <MenuItem onClick={() => onEdit(item)}>{texts.parts.edit}</MenuItem>
          <MenuItem danger onClick={() => onRemove(item)}>
            {texts.parts.delete}
          </MenuItem>
        </>
      )}
    </MoreMenu>
  )
}

type RemoveProps = {
  item: Assigned
  having: Having
  remove: (api: Admin) => Promise<unknown>
  onClose: () => void
  /** More to decide, after an error of the server. */
  more?: (error: unknown) => ReactNode
}

/** Says how many members lose it. */
export function RemoveAssigned({ item, having, remove, onClose, more }: RemoveProps) {
  const toast = useToast()
  const t = texts.settings
  const { systemId, name } = item
  const members = useRead('/admin/memberships', { query: { systemId, ...having, page: 1, pageSize: 1 } })
  const change = useChange((api) => remove(api), {
    onSuccess: () => {
      toast(fill(t.deletedRole, { name }))
      onClose()
    },
  })
  const number = members.data?.total
  return (
    <Confirm
      title={fill(t.deleteRole, { name })}
      submit={texts.parts.delete}
      onConfirm={() => change.mutate(undefined)}
      onClose={onClose}
      state={change}
    >
      <p>{number === undefined ? '…' : number === 0 ? t.noneLoseRole : count(t.loseRole, number)}</p>
      {more?.(change.error)}
    </Confirm>
  )
}
