import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { type Connection, type ConnectionLink, ONE, pathOf } from '../../parts/connections/connection.ts'
import { List, useListQuery } from '../../parts/List.tsx'
import { MenuItem, MoreMenu } from '../../parts/Menu.tsx'
import { Empty } from '../../parts/Page.tsx'
import { Person } from '../../parts/Person.tsx'
import type { Column } from '../../parts/Table.tsx'
import { Time } from '../../parts/Time.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { fill, texts } from '../../texts/texts.ts'

type Props = { connection: Connection; isOurs: boolean }

/** The members that the connection knows, each by a subject of the provider. */
export function ConnectionLinks({ connection, isOurs }: Props) {
  const t = texts.connections
  const { canChange } = usePlace()
  const [open, setOpen] = useState<ConnectionLink | 'all'>()
  const given = { path: pathOf(connection), query: useListQuery() }
  const links = useRead(`${ONE}/links`, given)
  const hasLinks = (links.data?.total ?? 0) > 0
  const onClose = () => setOpen(undefined)
  return (
    <>
      <div className="toolbar">
        <p className="muted">{t.linksLead}</p>
        <span className="spacer" />
        {isOurs && hasLinks && (
          <button type="button" className="danger" onClick={() => setOpen('all')}>
            {t.unlinkAll}
          </button>
        )}
      </div>
      <List
        label={t.tabs.members}
        name="connection-links"
        query={links}
        call={{ path: `${ONE}/links`, given }}
        columns={columnsOf()}
        idOf={({ id }) => id}
        nameOf={({ user }) => user.email}
        empty={<Empty title={t.linksNone} />}
        {...(canChange &&
          isOurs && {
            menu: (row: ConnectionLink) => (
              <MoreMenu name={row.user.email}>
                <MenuItem danger onClick={() => setOpen(row)}>
                  {texts.users.unlink}
                </MenuItem>
              </MoreMenu>
            ),
          })}
      />
      {open === 'all' && <UnlinkAll connection={connection} onClose={onClose} />}
      {open && open !== 'all' && <Unlink connection={connection} link={open} onClose={onClose} />}
    </>
  )
}

function columnsOf(): Column<ConnectionLink>[] {
  const t = texts.connections
  return [
    {
      key: 'member',
      title: texts.members.user,
      cell: ({ userId, user }) => <Person id={userId} name={user.name} email={user.email} />,
    },
    { key: 'subject', title: t.subjectThere, cell: ({ subject }) => <code>{subject}</code> },
    { key: 'email', title: t.emailThere, cell: ({ email }) => email },
    { key: 'used', title: t.used, cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
    {
      key: 'created',
      title: t.linked,
      sort: 'createdAt' as const,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ]
}

type DialogProps = { connection: Connection; onClose: () => void }

function Unlink({ connection, link, onClose }: DialogProps & { link: ConnectionLink }) {
  const t = texts.connections
  const toast = useToast()
  const { accountId } = connection
  const name = link.user.name ?? link.user.email
  const unlink = useChange(
    (api, membershipId: string) =>
      api.delete('/admin/accounts/{accountId}/members/{membershipId}/link', {
        path: { accountId, membershipId },
      }),
    {
      onSuccess: () => {
        toast(t.unlinkedOne)
        onClose()
      },
    },
  )
  return (
    <Confirm
      title={fill(t.unlinkTitle, { name })}
      submit={texts.users.unlink}
      state={unlink}
      onConfirm={() => unlink.mutate(link.membershipId)}
      onClose={onClose}
    >
      <p>{t.unlinkLead}</p>
    </Confirm>
  )
}

function UnlinkAll({ connection, onClose }: DialogProps) {
  const t = texts.connections
  const toast = useToast()
  const unlink = useChange((api, path: ReturnType<typeof pathOf>) => api.delete(`${ONE}/links`, { path }), {
    onSuccess: () => {
      toast(t.unlinkedAll)
      onClose()
    },
  })
  return (
    <Confirm
      title={t.unlinkAllTitle}
      submit={t.unlinkAll}
      state={unlink}
      onConfirm={() => unlink.mutate(pathOf(connection))}
      onClose={onClose}
    >
      <p>{t.unlinkAllLead}</p>
    </Confirm>
  )
}
