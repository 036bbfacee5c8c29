import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { type Item, useChange, useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { Confirm } from '../../parts/Confirm.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { List, useListQuery } from '../../parts/List.tsx'
import { MenuItem, MoreMenu } from '../../parts/Menu.tsx'
import { Empty } from '../../parts/Page.tsx'
import { Time } from '../../parts/Time.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { fill, texts } from '../../texts/texts.ts'
import { NewOperator } from './NewOperator.tsx'

type Operator = Item<'/admin/operators'>

/** The users of the console besides the administrators of the platform system. */
export function Operators() {
  const t = texts.installation
  const { key, canChange } = usePlace()
  const query = useListQuery()
  const operators = useRead('/admin/operators', { query })
  const [isNew, setNew] = useState(false)
  const [removing, setRemoving] = useState<Operator>()
  const add = canChange && (
    <button type="button" className="primary" onClick={() => setNew(true)}>
      <Icon name="plus" />
      {t.newOperator}
    </button>
  )
  return (
    <>
      <div className="toolbar">
        <p className="muted">{t.operatorsLead}</p>
        <span className="spacer" />
        <ApiCalls calls={[{ path: '/admin/operators' }]} />
        {operators.data?.total ? add : null}
      </div>
      <List
        label={t.operators}
        name="operators"
        query={operators}
        call={{ path: '/admin/operators', given: { query } }}
        columns={[
          {
            key: 'user',
            title: t.user,
            cell: ({ name, email }) => (
              <>
                <strong>{name ?? email}</strong>
                {name && <span className="below">{email}</span>}
              </>
            ),
          },
          { key: 'place', title: t.place, cell: ({ systemName }) => systemName ?? texts.shell.platform },
          { key: 'level', title: t.level, cell: ({ level }) => t.levels[level] },
          { key: 'since', title: t.since, cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        idOf={({ id }) => id}
        nameOf={({ email }) => email}
        linkOf={({ userId }) => ({ to: '/$context/users/$userId', params: { context: key, userId } })}
        empty={
          <Empty title={t.noOperators}>
            <p>{t.noOperatorsLead}</p>
            {add}
          </Empty>
        }
        {...(canChange && {
          menu: (row: Operator) => (
            <MoreMenu name={row.email}>
              <MenuItem danger onClick={() => setRemoving(row)}>
                {texts.parts.remove}
              </MenuItem>
            </MoreMenu>
          ),
        })}
      />
      {isNew && <NewOperator onClose={() => setNew(false)} />}
      {removing && <RemoveOperator operator={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}

function RemoveOperator({ operator, onClose }: { operator: Operator; onClose: () => void }) {
  const t = texts.installation
  const toast = useToast()
  const remove = useChange(
    (api, operatorId: string) => api.delete('/admin/operators/{operatorId}', { path: { operatorId } }),
    {
      onSuccess: () => {
        toast(t.removed)
        onClose()
      },
    },
  )
  return (
    <Confirm
      title={t.removeOperator}
      submit={texts.parts.remove}
      state={remove}
      onClose={onClose}
      onConfirm={() => remove.mutate(operator.id)}
    >
      <p>{fill(t.removeOperatorLead, { name: operator.name ?? operator.email })}</p>
    </Confirm>
  )
}
