/**
 * A large database to measure on: a million users, as many memberships in four systems of different sizes, two million
 * audit entries. `node server/test/fill.ts` starts a PostgreSQL of its own, fills it in two to four minutes, says its
 * address, and keeps it until it is interrupted.
 */
import { once } from 'node:events'
import pg from 'pg'
import { openPostgres } from '../src/db.ts'
import { createDatabase, startPostgres } from './postgres.ts'

/** The systems by name. */
export const SYSTEMS = {
  /** 1:1, 400,000 people. */
  shop: '5e000000-0000-4000-8000-000000000001',
  /** 600,000 memberships in 50,000 organizations; a sixth of them in one. */
  suite: '5e000000-0000-4000-8000-000000000002',
  /** 10,000 memberships in 100 organizations, all of the oldest users. */
  club: '5e000000-0000-4000-8000-000000000003',
  /** 20 memberships in one organization. */
  tiny: '5e000000-0000-4000-8000-000000000004',
}

/** The n-th row of a kind, 1 and up, has this id; random to an index, known to a test. */
const idOf = (kind: string, n: string) => `md5('${kind}' || ${n})::uuid`
const USERS = 1_000_000
const AUDIT = 2_000_000
const SESSIONS = 300_000
/** n seconds ago, so that the newest is the last. */
const ago = (count: number) => `now() - (${count} - n) * interval '20 seconds'`

const STATEMENTS = [
  `insert into systems (id, name, client_id, multi_account, allow_client_credentials, secret_hash) values
    ('${SYSTEMS.shop}', 'Shop', 'shop', false, true, 'none'), ('${SYSTEMS.suite}', 'Suite', 'suite', true, true, 'none'),
    ('${SYSTEMS.club}'::uuid, 'Club', 'club', true, true, 'none'), ('${SYSTEMS.tiny}', 'Tiny', 'tiny', true, true, 'none')`,
  // Of the first 12,000 users everybody is at firstcustomer.test; of all, every thousandth is called zebedee.
  `insert into users (id, email, name, created_at, updated_at)
    select ${idOf('user', 'n')},
      case when n % 1000 = 0 then 'zebedee' else (array['ana','ben','carla','david','elena','felix','greta','hugo'])[1 + n % 8] end
      || '.' || (array['silva','smith','jones','garcia','mueller','rossi','novak','kim','sato','costa'])[1 + (n / 8) % 10]
      || n || '@' || case when n <= 12000 then 'firstcustomer.test' else (array['mail','post','work','home'])[1 + n % 4] || '.example' end,
      'Person ' || n, ${ago(USERS)}, now() from generate_series(1, ${USERS}) n`,
  `insert into accounts (id, system_id, name, kind, personal_of, created_at)
    select ${idOf('shop', 'n')}, '${SYSTEMS.shop}', 'Person ' || n, 'personal', ${idOf('user', 'n')}, ${ago(400_000)}
    from generate_series(1, 400000) n`,
  `insert into accounts (id, system_id, name, kind, created_at)
    select ${idOf('suite', 'n')}, '${SYSTEMS.suite}'::uuid, 'Organization ' || n, 'organization', ${ago(50_000)} from generate_series(1, 50000) n
    union all select ${idOf('club', 'n')}, '${SYSTEMS.club}'::uuid, 'Club ' || n, 'organization', ${ago(100)} from generate_series(1, 100) n
    union all select ${idOf('tiny', 'n')}, '${SYSTEMS.tiny}'::uuid, 'Tiny ' || n, 'organization', now() from generate_series(1, 1) n`,
  ...[
    { of: 'shop', exclusive: true, users: 400_000, user: 'n', account: 'n' },
    {
      of: 'suite',
      exclusive: false,
      users: 600_000,
      user: '400000 + n',
      account: 'case when n % 6 = 0 then 1 else 1 + n % 50000 end',
    },
    { of: 'club', exclusive: false, users: 10_000, user: 'n', account: '1 + n % 100' },
    { of: 'tiny', exclusive: false, users: 20, user: 'n * 50000', account: '1' },
  ].map(
    ({ of, exclusive, users, user, account }) =>
      `insert into memberships (id, user_id, system_id, account_id, status, exclusive, created_at)
        select ${idOf(`member ${of}`, 'n')}, md5('user' || (${user}))::uuid, '${SYSTEMS[of as keyof typeof SYSTEMS]}', md5('${of}' || (${account}))::uuid,
          case when n % 1000 = 0 then 'pending' when n % 50 = 0 then 'blocked' else 'active' end, ${exclusive}, ${ago(users)}
        from generate_series(1, ${users}) n`,
  ),
  `insert into audit (time, action, outcome, actor_type, actor_id, target_type, target_id, system_id, account_id)
    select ${ago(AUDIT)}, (array['login','login','login','login','login','login','membership.created','membership.updated','user.updated'])[1 + n % 9],
      case when n % 20 = 0 then 'failure' else 'success' end, case when n % 3 = 0 then 'service' else 'user' end,
      md5('user' || (n % 2000))::uuid::text, case when n % 2 = 0 then 'user' else 'membership' end, md5('user' || (n % 500000))::uuid::text,
      case when n % 2 = 0 then '${SYSTEMS.shop}'::uuid when n % 1000 = 1 then '${SYSTEMS.club}'::uuid else '${SYSTEMS.suite}'::uuid end,
      case when n % 2 = 0 then md5('shop' || (n % 400000))::uuid else md5('suite' || (n % 50000))::uuid end
    from generate_series(1, ${AUDIT}) n`,
  `insert into sessions (sid, system_id, user_id, account_id, membership_id, "grant", created_at, last_seen_at, expires_at, ended_at)
    select md5('session' || n), '${SYSTEMS.shop}', m.user_id, m.account_id, m.id, '{}', ${ago(SESSIONS)}, now(), now() + interval '14 days',
      case when n % 4 = 0 then now() end
    from generate_series(1, ${SESSIONS}) n join memberships m on m.id = ${idOf('member shop', 'n')}`,
  'vacuum analyze', // as autovacuum leaves it: an index answers alone only where the map of visible pages is up to date
]

/** Fills an empty database that has our tables. */
export async function fill(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of STATEMENTS) await client.query(statement)
  } finally {
    await client.end()
  }
}

if (import.meta.main) {
  const postgres = await startPostgres({ durable: true })
  try {
    const { url } = await createDatabase(postgres.url)
    await (await openPostgres(url, 1)).close()
    const started = Date.now()
    await fill(url)
    process.stdout.write(`Filled in ${Math.round((Date.now() - started) / 1000)} s: ${url}\n`)
    setInterval(() => {}, 60_000)
    await once(process, 'SIGINT')
  } finally {
    await postgres.close()
  }
  process.exit()
}
