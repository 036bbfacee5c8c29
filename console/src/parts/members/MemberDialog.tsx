import { Link } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Timeline } from '../audit/Timeline.tsx'
import { Copy } from '../Copy.tsx'
import { Dialog } from '../Dialog.tsx'
import { Facts } from '../Facts.tsx'
import { Failed } from '../Failed.tsx'
import { Named } from '../Named.tsx'
import { useNames } from '../names.ts'
import { Time } from '../Time.tsx'
import { MemberForm } from './MemberForm.tsx'
import { MemberState } from './MemberState.tsx'
import type { Member, MemberActions } from './useMemberActions.tsx'

type Props = { id: string; actions: MemberActions; onClose: () => void }

/** One member: state, roles, profiles and what happened. */
export function MemberDialog({ id, actions, onClose }: Props) {
  const member = useRead('/admin/memberships/{membershipId}', { path: { membershipId: id } })
  const shown = member.data?.id === id ? member.data : undefined
  return (
    <Dialog title={shown?.user.email ?? '…'} place="end" onClose={onClose}>
      {member.error && !shown && <Failed error={member.error} />}
      {shown && <About key={shown.updatedAt} member={shown} actions={actions} />}
    </Dialog>
  )
}

function About({ member, actions }: { member: Member; actions: MemberActions }) {
  const { key, kind, canChange } = usePlace()
  const t = texts.members
  const { accountId, status, blockedBy, roles, profiles, connection } = member
  const names = useNames([member.userId, member.accountId, ...roles, ...profiles])
  const namesOf = (ids: readonly string[]) => ids.map((each) => names.of(each)?.name ?? '…').join(', ')
  const facts: [string, React.ReactNode][] = [
    [
      t.state,
      <div key="state">
        <MemberState status={status} />
        {blockedBy && <p className="hint">{t.blockedBy[blockedBy]}</p>}
      </div>,
    ],
    ...((kind === 'account'
      ? []
      : [
          [t.user, <Named key="user" type="user" id={member.userId} names={names} />],
          [t.organization, <Named key="account" type="account" id={member.accountId} names={names} />],
        ]) as [string, React.ReactNode][]),
    ...((canChange
      ? []
      : [
          [t.roles, namesOf(roles) || t.noRoles],
          [t.profiles, namesOf(profiles) || t.noProfiles],
        ]) as [string, React.ReactNode][]),
    ...((connection
      ? [
          [
            t.connection,
            <Link
              key="connection"
              to="/$context/accounts/$accountId/connections/$connectionId"
              params={{ context: key, accountId, connectionId: connection.id }}
            >
              {connection.name}
            </Link>,
          ],
        ]
      : []) as [string, React.ReactNode][]),
    [t.since, <Time key="since" at={member.createdAt} />],
    ['ID', <Copy key="id" text={member.id} label={texts.parts.copyId} />],
  ]
  return (
    <>
      <Facts facts={facts} />
      {canChange && (
        <>
          <p className="button-row">
            {status !== 'active' && (
              <button type="button" onClick={() => void actions.setStatus([member], 'active')}>
                {status === 'pending' ? t.approve : t.unblock}
              </button>
            )}
            {status !== 'blocked' && (
              <button type="button" onClick={() => void actions.setStatus([member], 'blocked')}>
                {t.block}
              </button>
            )}
          </p>
          <section>
            <MemberForm member={member} />
          </section>
        </>
      )}
      <section>
        <h3>{t.history}</h3>
        <Timeline query={{ targetId: member.id }} />
      </section>
    </>
  )
}
