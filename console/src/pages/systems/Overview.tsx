import { Link } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { SignInChart } from '../../parts/activity/SignInChart.tsx'
import { Badge } from '../../parts/Badge.tsx'
import { Copy } from '../../parts/Copy.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Numbers } from '../../parts/Numbers.tsx'
import { Time } from '../../parts/Time.tsx'
import { count, texts } from '../../texts/texts.ts'
import { clientKindOf, registrationOf, type System } from './system.ts'

/** Numbers and latest events of an application. */
export function SystemOverview({ system }: { system: System }) {
  const { key, kind } = usePlace()
  const t = texts.systems
  const systemId = system.id
  const one = { systemId, page: 1, pageSize: 1 }
  const members = useRead('/admin/memberships', { query: one })
  const pending = useRead('/admin/memberships', { query: { ...one, status: 'pending' } })
  const accounts = useRead('/admin/accounts', { query: one })
  const sessions = useRead('/admin/sessions', { query: one })
  const params = { context: key }
  const search = { systemId: kind === 'platform' ? systemId : undefined }
  return (
    <>
      <Numbers
        numbers={[
          { title: t.members, value: members.data?.total, link: { to: '/$context/members', params, search } },
          {
            title: t.pending,
            value: pending.data?.total,
            link: { to: '/$context/members', params, search: { ...search, status: 'pending' } },
          },
          ...(system.multiAccount
            ? [
                {
                  title: t.accounts,
                  value: accounts.data?.total,
                  link: { to: '/$context/accounts' as const, params, search },
                },
              ]
            : []),
          {
            title: t.sessions,
            value: sessions.data?.total,
            link: { to: '/$context/sessions', params, search },
          },
        ]}
      />
      {clientKindOf(system) !== 'service' && <SignInChart systemId={systemId} />}
      <div className="panels">
        <SignIns systemId={systemId} />
        <Setup system={system} />
      </div>
    </>
  )
}

function SignIns({ systemId }: { systemId: string }) {
  const t = texts.systems
  const { key, kind } = usePlace()
  const of = { systemId, page: 1, pageSize: 1 }
  const opened = useRead('/admin/audit', { query: { ...of, action: 'session.opened' } })
  const wrong = useRead('/admin/audit', { query: { ...of, action: 'user.login', outcome: 'failure' } })
  const ruled = useRead('/admin/audit', { query: { ...of, action: 'sign_in.refused' } })
  const [refused] = [wrong, ruled]
    .flatMap(({ data }) => data?.data[0]?.time ?? [])
    .toSorted()
    .toReversed()
  const search = { systemId: kind === 'platform' ? systemId : undefined, outcome: 'failure' }
  return (
    <section className="panel">
      <h2>{t.signIns}</h2>
      {opened.data?.total === 0 && (
        <p>
          {t.startHere}{' '}
          <Link to="." search={{ tab: 'quickStart' }}>
            {t.tabs.quickStart}
          </Link>
        </p>
      )}
      <Facts
        facts={[
          [t.lastSignIn, <Time key="opened" at={opened.data?.data[0]?.time} none={t.noSignIn} />],
          [
            t.lastFailure,
            refused ? (
              <Link key="refused" to="/$context/audit" params={{ context: key }} search={search}>
                <Time at={refused} />
              </Link>
            ) : (
              <Time key="refused" at={null} none={t.noSignIn} />
            ),
          ],
        ]}
      />
    </section>
  )
}

function Setup({ system }: { system: System }) {
  const t = texts.systems
  const kind = clientKindOf(system)
  const number = system.redirectUris.length
  return (
    <section className="panel">
      <h2>{t.setup}</h2>
      <Facts
        facts={[
          [t.clientId, <Copy key="client" text={system.clientId} />],
          [t.id, <Copy key="id" text={system.id} label={texts.parts.copyId} />],
          [t.kind, t.kinds[kind]],
          [t.users, system.multiAccount ? t.organizations : t.individuals],
          [t.registration, t[registrationOf(system)]],
          [t.secondFactor, system.requireMfa ? t.required : t.optional],
          ...(kind === 'service'
            ? []
            : [
                [
                  t.redirectUri,
                  number > 0 ? (
                    count(t.redirectUris, number)
                  ) : (
                    <Badge key="none" tone="wait">
                      {t.noRedirectUris}
                    </Badge>
                  ),
                ] as const,
              ]),
          [t.created, <Time key="created" at={system.createdAt} />],
        ]}
      />
    </section>
  )
}
