import { usePlace } from '../../api/context.ts'
import { type Item, useRead } from '../../api/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Badge, type Tone } from '../Badge.tsx'
import type { Filter } from '../Filters.tsx'
import { List, useListQuery } from '../List.tsx'
import { MenuItem, MoreMenu } from '../Menu.tsx'
import { Named } from '../Named.tsx'
import { type Names, useNames } from '../names.ts'
import { Empty } from '../Page.tsx'
import type { Column } from '../Table.tsx'
import { Time } from '../Time.tsx'
import { useAct } from '../useAct.ts'

const PATH = '/admin/accounts/{accountId}/invitations'
type Invitation = Item<typeof PATH>

const TONES: Record<Invitation['status'], Tone> = {
  pending: 'wait',
  accepted: 'good',
  declined: 'plain',
  revoked: 'plain',
  expired: 'plain',
}

/** The invitations of an organization, which are sent again or revoked. `add`: the button that invites. */
export function InvitationList({ accountId, add }: { accountId: string; add: React.ReactNode }) {
  const { canChange } = usePlace()
  const t = texts.invitations
  const act = useAct()
  const filters: Filter[] = [{ name: 'status', title: t.state, options: t.states }]
  const given = { path: { accountId }, query: useListQuery(filters) }
  const invitations = useRead(PATH, given)
  const names = useNames(
    (invitations.data?.data ?? []).flatMap(({ invitedBy, roles }) => [invitedBy, ...roles]),
  )
  const at = ({ id: invitationId }: Invitation) => ({ path: { accountId, invitationId } })
  return (
    <List
      label={t.title}
      name="invitations"
      query={invitations}
      call={{ path: PATH, given }}
      columns={columnsOf(names)}
      idOf={({ id }) => id}
      nameOf={({ email }) => email}
      filters={filters}
      search={texts.members.search}
      empty={
        <Empty title={t.empty}>
          <p>{t.emptyLead}</p>
          {add}
        </Empty>
      }
      {...(canChange && {
        menu: (row: Invitation) =>
          row.status === 'pending' && (
            <MoreMenu name={row.email}>
              <MenuItem
                onClick={() =>
                  void act((api) => api.post(`${PATH}/{invitationId}/resend`, at(row)), t.resent)
                }
              >
                {t.resend}
              </MenuItem>
              <MenuItem
                danger
                onClick={() => void act((api) => api.delete(`${PATH}/{invitationId}`, at(row)), t.revoked)}
              >
                {t.revoke}
              </MenuItem>
            </MoreMenu>
          ),
      })}
    />
  )
}

function columnsOf(names: Names): Column<Invitation>[] {
  const t = texts.invitations
  return [
    { key: 'email', title: t.email, cell: ({ email }) => <strong>{email}</strong> },
    {
      key: 'status',
      title: t.state,
      cell: ({ status }) => <Badge tone={TONES[status]}>{t.states[status]}</Badge>,
    },
    {
      key: 'roles',
      title: texts.members.roles,
      cell: ({ roles }) => roles.map((id) => names.of(id)?.name ?? id.slice(0, 8)).join(', '),
    },
    {
      key: 'by',
      title: t.by,
      cell: ({ invitedBy }) =>
        invitedBy === null ? t.byService : <Named type="user" id={invitedBy} names={names} />,
    },
    {
      key: 'sent',
      title: t.lastSent,
      cell: ({ lastSentAt }) => (lastSentAt ? <Time at={lastSentAt} /> : '–'),
    },
    { key: 'expires', title: t.expires, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  ]
}
