/**
 * A large installation as SQL, which `fill.ts` inserts into an empty database. Every row is derived from its
 * number, so that a measurement knows the data. Only ids and secrets are random.
 */

import { hashPassword } from '../server/src/crypto/password-hash.ts'
import { createSeal } from '../server/src/crypto/seal.ts'
import { ALL_SYSTEMS } from '../server/src/journal/stats/count.ts'
import { hashSecret } from '../server/src/resources/systems/secret.ts'

/** `SECRET_KEY` of the server that uses this database. */
export const SECRET_KEY = process.env.SECRET_KEY ?? 'a key for the bench, 32 characters or more'
/** The secret of every client. */
export const CLIENT_SECRET = 'a-secret-of-every-client-of-the-bench'
/** The password of every user. */
export const PASSWORD = 'correct horse battery staple'

/**
 * The named systems. The sizes of the others decrease from a tenth of the remaining memberships. Client ids
 * are the names.
 */
export const SYSTEMS = {
  /** One account per user; seven of ten users. */
  shop: '5e000000-0000-4000-8000-000000000001',
  /** Six of ten users, half of them with two memberships, in organizations of very different sizes. */
  suite: '5e000000-0000-4000-8000-000000000002',
  /** The oldest hundredth of the users, in 100 organizations. */
  club: '5e000000-0000-4000-8000-000000000003',
  /** 20 memberships in one organization. */
  tiny: '5e000000-0000-4000-8000-000000000004',
}

/** Splits `rows` into batches from `from` to `to`, or one statement for all. */
export type Step = {
  table: string
  rows: number
  statement: (from: number, to: number) => string
  whole?: true
}

export async function stepsOf(users: number): Promise<Step[]> {
  const sizes = sizesOf(users)
  return [
    { table: 'systems', rows: 4 + sizes.others, statement: () => systems(sizes), whole: true },
    { table: 'roles', rows: 4 * (4 + sizes.others), statement: () => ROLES, whole: true },
    { table: 'users', rows: users, statement: usersOf(users, await hashPassword(PASSWORD, null)) },
    { table: 'accounts', rows: sizes.shop, statement: personalAccounts(sizes) },
    {
      table: 'accounts',
      rows: sizes.suiteAccounts + sizes.otherAccounts + 101,
      statement: () => organizations(sizes),
      whole: true,
    },
    { table: 'memberships', rows: 2 * users, statement: () => memberships(sizes), whole: true },
    { table: 'membership_roles', rows: 2 * users, statement: () => MEMBERSHIP_ROLES, whole: true },
    { table: 'sessions', rows: users / 5, statement: () => SESSIONS, whole: true },
    { table: 'artifacts', rows: users / 5, statement: () => ARTIFACTS, whole: true },
    { table: 'audit', rows: 10 * users, statement: auditOf(sizes) },
    { table: 'activity', rows: users, statement: () => ACTIVITY, whole: true },
    { table: 'counters', rows: 5_400 * (5 + sizes.others), statement: () => COUNTERS, whole: true },
  ]
}

type Sizes = ReturnType<typeof sizesOf>

function sizesOf(users: number) {
  const part = (share: number, least: number) => Math.max(least, Math.round(users * share))
  const [shop, suite, club, tiny] = [part(0.7, 1), part(0.9, 1), part(0.01, 1), 20]
  return {
    users,
    shop,
    suite,
    /** Users of the suite; further memberships belong to the same users. */
    suitePeople: part(0.6, 1),
    suiteAccounts: part(0.06, 2),
    club,
    tiny,
    others: part(0.0003, 5),
    otherMembers: 2 * users - shop - suite - club - tiny,
    otherAccounts: part(0.03, 5),
  }
}

// Texts with a realistic distribution, by the number `n` of a row.

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
const listed = (texts: string[]) => `array[${texts.map(quoted).join()}]`
const one = (texts: string[], by: string) => `(${listed(texts)})[1 + (${by}) % ${texts.length}]`
const ascii = (name: string) =>
  name
    .normalize('NFD')
    .replace(/[\u0300-\u036f' ]/g, '')
    .replace('ı', 'i')
    .replace('Ł', 'L')
    .replace('ł', 'l')
    .replace('ø', 'o')
    .toLowerCase()
const id = (kind: string, n: string) => `md5(${quoted(kind)} || (${n}))::uuid`
/** A pseudo-random number of at least 0 per row; `salt` distinguishes several numbers of one row. */
const hash = (salt: number, n = 'n') => `(hashint4((${n})::int + ${salt} * 100000007)::bigint & 2147483647)`
/** A number from 1 to `count`, skewed to low values: half of the rows get the first eighth. */
const skewed = (count: number, by: string) => `(1 + floor(${count} * power(${by} / 2147483648.0, 3)))::int`
/** Creation time of the n-th of `count` rows, in a time span that ends now. */
const grown = (count: number, days: number, n = 'n') =>
  `now() - interval '${days} days' * ((${count} - ${n}) / ${count}::float8)`
/** A permutation of the users: each once for `n` up to `users` (7,919 is a prime). */
const userNumber = (users: number, n: string) => `(1 + ((${n})::bigint * 7919) % ${users})`

const GIVEN =
  'Ana,Ben,Carla,David,Elena,Felix,Greta,Hugo,Inês,Jonas,Katarzyna,Liam,Maria,Noah,Olivia,Paul,Quentin,Rosa,Sofia,Tom,Ulla,Victor,Wanda,Xavier,Yara,Zoë,José,Łukasz,Anaïs,Søren,Emma,Mohamed,Fatima,Wei,Yuki,Priya,Arjun,Chloe,Lucas,Isabella,Ethan,Mia,Oliver,Amelia,James,Sophie,Leon,Hannah,Marco,Giulia'.split(
    ',',
  )
const FAMILY =
  "Silva,Smith,Jones,García,Müller,Rossi,Novák,Kim,Sato,Costa,Martin,Dubois,Nowak,Hansen,Johansson,Kowalski,Schmidt,Fischer,Weber,Santos,Oliveira,Pereira,Ferrari,Russo,Tanaka,Suzuki,Chen,Wang,Singh,Patel,Khan,Ali,O'Brien,Murphy,Kelly,Walker,Young,Scott,Green,Baker,Carter,Turner,Phillips,Evans,Collins,Stewart,Morris,Rogers,Cook,Bell,De Vries,Van den Berg,Jansen,Bakker,Andersen,Nielsen,Popescu,Ivanova,Horváth,Yılmaz".split(
    ',',
  )
const MAIL =
  'gmail,gmail,gmail,gmail,gmail,gmail,outlook,outlook,hotmail,hotmail,yahoo,yahoo,icloud,gmx,web,proton'.split(
    ',',
  )
const TRADES =
  'logistics,foods,systems,media,consulting,clinic,bank,school,energy,textiles,studio,labs'.split(',')
const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Mobile Safari/537.36',
]
const ip = (by: string) =>
  `(11 + ${by} % 180) || '.' || (${by} / 256 % 256) || '.' || (${by} / 65536 % 256) || '.' || (${by} / 16777216 % 128)`

function systems({ others }: Sizes): string {
  const secret = quoted(hashSecret(createSeal(SECRET_KEY), CLIENT_SECRET))
  const named = Object.entries(SYSTEMS).map(
    ([name, id]) => `(${quoted(name)}, '${id}'::uuid, ${name !== 'shop'}, now() - interval '3 years')`,
  )
  return `with made as (insert into systems (id, name, client_id, secret_hash, multi_account, redirect_uris, allowed_scopes, allow_client_credentials, skip_consent, created_at)
    select id, initcap(name), name, ${secret}, multi, array['https://' || name || '.example/callback'],
      '{openid,email,profile,offline_access}', true, true, time
    from (values ${named.join()}
      union all select 'product-' || n, ${id('system', 'n')}, true, ${grown(others, 1000)} from generate_series(1, ${others}) n) s (name, id, multi, time)
    returning id)
    insert into system_ids select id from made`
}

const ROLES = `insert into roles (id, system_id, name, is_admin, scopes)
  select md5('role' || s.id || k)::uuid, s.id, (array['Admin','Manager','Editor','Member'])[k], k = 1,
    (array['{read,write,manage,billing}','{read,write,manage}','{read,write}','{read}'])[k]::text[]
  from systems s, generate_series(1, 4) k where not s.platform`

/**
 * The first 12 of 1,000 users have an address at firstcustomer.test; every 1,000th is called zebedee; one of
 * 100 has an underscore.
 */
const usersOf = (users: number, passwordHash: string) => (from: number, to: number) =>
  `
  with made as (
  insert into users (id, email, email_verified, name, given_name, family_name, locale, disabled, metadata, has_password, last_login_at, created_at, updated_at)
  select ${id('user', 'n')},
    case when n % 1000 = 0 then 'zebedee' when ${hash(3)} % 5 = 0 then left(${one(GIVEN.map(ascii), hash(1))}, 1) else ${one(GIVEN.map(ascii), hash(1))} end
    || case when n % 100 = 7 then '_' when ${hash(3)} % 200 = 1 then '+' else '.' end || ${one(FAMILY.map(ascii), hash(2))} || n || '@'
    || case when n <= ${Math.round(users * 0.012)} then 'firstcustomer.test'
      when ${hash(4)} % 10 < 7 then ${one(MAIL, hash(5))} || '.example'
      else ${one(FAMILY.map(ascii), hash(6))} || '-' || ${one(TRADES, hash(7))} || '.example' end,
    n % 10 > 0, g || ' ' || f, g, f, (array['en','de','fr','es','pt-BR'])[1 + n % 5], n % 500 = 3,
    case when n % 4 = 0 then jsonb_build_object('source', 'import', 'number', n) else '{}' end, true,
    time + (now() - time) * (${hash(8)} / 2147483648.0), time, time
  from (select n, ${one(GIVEN, hash(1))} as g, ${one(FAMILY, hash(2))} as f, ${grown(users, 1000)} as time from generate_series(${from}, ${to}) n) u
  returning id, created_at)
  insert into passwords (user_id, hash, created_at) select id, ${quoted(passwordHash)}, created_at from made`

const personalAccounts =
  ({ shop }: Sizes) =>
  (from: number, to: number) =>
    `
  insert into accounts (id, system_id, name, kind, personal_of, created_at, updated_at)
  select ${id('shop', 'n')}, '${SYSTEMS.shop}', ${one(GIVEN, hash(1))} || ' ' || ${one(FAMILY, hash(2))}, 'personal', ${id('user', 'n')}, time, time
  from (select n, ${grown(shop, 900)} as time from generate_series(${from}, ${to}) n) a`

function organizations({ suiteAccounts, others, otherAccounts }: Sizes): string {
  const name = `${one(FAMILY, hash(1))} || ' ' || initcap(${one(TRADES, hash(2))}) || ' ' || n`
  const made = (kind: string, system: string, count: number) =>
    `select ${id(kind, 'n')}, ${system}, ${name}, 'organization', ${grown(count, 900)} from generate_series(1, ${count}) n`
  return `insert into accounts (id, system_id, name, kind, created_at)
    ${made('suite', `'${SYSTEMS.suite}'::uuid`, suiteAccounts)} union all ${made('club', `'${SYSTEMS.club}'::uuid`, 100)}
    union all ${made('tiny', `'${SYSTEMS.tiny}'::uuid`, 1)}
    union all ${made('other', id('system', `1 + n % ${others}`), otherAccounts)}`
}

/** In the order of their time, so that rows of different systems are interleaved as in production. */
function memberships({
  users,
  shop,
  suite,
  suitePeople,
  suiteAccounts,
  club,
  tiny,
  others,
  otherMembers,
  otherAccounts,
}: Sizes): string {
  const half = Math.floor(suiteAccounts / 2)
  // Assigns the n-th of the other memberships to a system by shares that decrease with the system's number.
  const system = skewed(others, `(${grownPart('n', otherMembers)} * 2147483647)`)
  const perSystem = Math.floor(otherAccounts / others)
  const made = (kind: string, count: number, system: string, user: string, account: string) =>
    `select ${id(`member ${kind}`, 'n')}, ${id('user', user)}, ${system}, ${account}, ${kind === 'shop'}, ${grown(count, 900)}, n from generate_series(1, ${count}) n`
  return `with members as (select m.*, u.email,
      case when n % 1000 = 0 then 'pending' when n % 50 = 0 then 'blocked' else 'active' end as status
    from (
      ${made('shop', shop, `'${SYSTEMS.shop}'::uuid`, 'n', id('shop', 'n'))}
      union all ${made('suite', suite, `'${SYSTEMS.suite}'::uuid`, userNumber(suitePeople, 'n'), id('suite', `case when n <= ${suitePeople} then ${skewed(half, hash(1))} else ${half} + ${skewed(suiteAccounts - half, hash(1))} end`))}
      union all ${made('club', club, `'${SYSTEMS.club}'::uuid`, 'n', id('club', '1 + n % 100'))}
      union all ${made('tiny', tiny, `'${SYSTEMS.tiny}'::uuid`, `n * ${Math.floor(users / tiny)}`, id('tiny', '1'))}
      union all select id, user_id, ${id('system', 'k')}, ${id('other', `(k - 1 + ${others} - 1) % ${others} + 1 + ${others} * (${skewed(perSystem, hash(2))} - 1)`)}, false, time, n
        from (select ${id('member other', 'n')} as id, ${id('user', userNumber(users, 'n'))} as user_id, ${system} as k, ${grown(otherMembers, 900, `(1 + ${hash(3)} % ${otherMembers})`)} as time, n from generate_series(1, ${otherMembers}) n) o
    ) m (id, user_id, system_id, account_id, exclusive, time, n) join users u on u.id = user_id),
    of_system as (insert into system_users (user_id, system_id, email, entered_at, created_at, updated_at)
      select user_id, system_id, email, min(time), min(time), min(time) from members group by user_id, system_id, email order by min(time))
    insert into memberships (id, user_id, email, system_id, account_id, exclusive, added_by, created_at, updated_at, activated_at, status, blocked_by)
    select id, user_id, email, system_id, account_id, exclusive, 'system', time, time, case when status <> 'pending' then time end, status,
      case when status = 'blocked' then 'system' end
    from members order by time`
}

function grownPart(n: string, count: number): string {
  return `((${n} - 1) / ${count}::float8)`
}

const MEMBERSHIP_ROLES = `insert into membership_roles (membership_id, system_id, account_id, user_id, active, is_admin, role_id)
  select id, system_id, account_id, user_id, status = 'active', by % 20 = 0,
    md5('role' || system_id || case when by % 20 = 0 then 1 when by % 20 < 4 then 2 when by % 20 < 10 then 3 else 4 end)::uuid
  from (select *, uuid_hash(id)::bigint & 2147483647 as by from memberships where system_id in (select id from systems where not platform)) m`

/** Sessions of two weeks; one of four has ended. */
const SESSIONS = `insert into sessions (sid, system_id, user_id, account_id, membership_id, browser_uid, "grant", acr, amr, ip, user_agent, created_at, last_seen_at, expires_at, ended_at, end_reason)
  select md5('session' || id), system_id, user_id, account_id, id, md5('browser' || id),
    jsonb_build_object('iat', extract(epoch from time)::bigint, 'openid', jsonb_build_object('scope', 'openid email profile offline_access')),
    'urn:tenantry:pwd', '{pwd}', ${ip('by')}, ${one(BROWSERS, 'by')}, time, time + (now() - time) / 2, time + interval '14 days',
    case when by % 4 = 0 then time + (now() - time) / 2 end, case when by % 4 = 0 then 'logout' end
  from (select *, now() - interval '14 days' * (by / 2147483648.0) as time
    from (select *, uuid_hash(id)::bigint & 2147483647 as by from memberships) m where by % 10 = 0 and status = 'active') s order by time`

/** The refresh token of each active session, and the browser session of every third. */
const ARTIFACTS = `insert into artifacts (model, id_hash, sid, user_id, uid_hash, payload, expires_at, created_at)
  select model, sha256(convert_to(model || sid, 'UTF8')), case when model = 'RefreshToken' then sid end, user_id,
    case when model = 'Session' then sha256(convert_to(browser_uid, 'UTF8')) end,
    jsonb_build_object('iat', extract(epoch from created_at)::bigint, 'kind', model, 'accountId', user_id, 'clientId', system_id, 'grantId', sid,
      'scope', 'openid email profile offline_access', 'authTime', extract(epoch from created_at)::bigint, 'acr', acr, 'amr', '{pwd}'::text[], 'sessionUid', browser_uid),
    expires_at, created_at
  from sessions, unnest('{RefreshToken,Session}'::text[]) model
  where ended_at is null and (model = 'RefreshToken' or hashtext(sid) % 3 = 0)`

/** Two of three users of a system were active in it in the last 64 days. */
const ACTIVITY = `insert into activity (system_id, user_id, day, days)
  select system_id, user_id, (now() at time zone 'UTC')::date - (by % 64)::int, (by << 16) | (by & 65535) | 1
  from (select system_id, user_id, uuid_hash(user_id)::bigint & 2147483647 as by from system_users) u where by % 3 > 0`

/** Counters of 90 days: of every hour of each system, and of all together; failures in every second hour. */
const COUNTERS = `insert into counters (hour, system_id, name, key, count)
  select date_trunc('hour', now(), 'UTC') - make_interval(hours => hour), s.id, name, key, 1 + (hour * weight) % 97
  from generate_series(0, 2159) hour,
    (select id from systems where not platform union all select '${ALL_SYSTEMS}') s,
    (values ('sign_ins', 'password', 7, 1), ('tokens', 'refresh_token', 31, 1), ('failures', 'password', 3, 2)) m (name, key, weight, every)
  where hour % every = 0`

/** The number per 200 entries, the action and target, and the actor. */
const ACTIONS: [action: string, parts: number, target: string, actor: 'user' | 'service'][] = [
  ['user.login', 100, 'user', 'user'],
  ['session.opened', 50, 'session', 'user'],
  ['session.ended', 20, 'session', 'user'],
  ['membership.created', 7, 'membership', 'service'],
  ['membership.roles_changed', 4, 'membership', 'service'],
  ['membership.blocked', 1, 'membership', 'user'],
  ['membership.deleted', 1, 'membership', 'service'],
  ['user.created', 5, 'user', 'service'],
  ['user.updated', 4, 'user', 'service'],
  ['user.password_changed', 2, 'user', 'user'],
  ['user.second_factor', 2, 'user', 'user'],
  ['account.updated', 1, 'account', 'service'],
  ['access.denied', 1, 'route', 'service'],
  ['login.throttled', 1, 'user', 'user'],
  ['consent.granted', 1, 'account', 'user'],
] // prettier-ignore

/** Entries of a year, not older than the retention. One of eight sign-ins fails. */
const auditOf =
  ({ users, shop, suiteAccounts, others }: Sizes) =>
  (from: number, to: number) => {
    const by = (column: 0 | 2 | 3) =>
      `(${listed(ACTIONS.flatMap((each) => Array<string>(each[1]).fill(each[column])))})[1 + h % 200]`
    return `insert into audit (time, action, outcome, actor_type, actor_id, actor_ip, actor_user_agent, target_type, target_id, system_id, account_id, changes, request_id)
  select ${grown(10 * users, 360)}, action, case when action in ('access.denied', 'login.throttled') or (action = 'user.login' and g % 8 = 0) then 'failure' else 'success' end,
    actor, case when actor = 'user' then person::text when where_ = 1 then 'shop' when where_ = 2 then 'suite' else 'product-1' end,
    ${ip('g')}, case when actor = 'user' then ${one(BROWSERS, 'g')} else 'node' end,
    target, case when target = 'user' then person::text else ${id('target', 'n / 3')}::text end,
    case where_ when 1 then '${SYSTEMS.shop}'::uuid when 2 then '${SYSTEMS.suite}'::uuid when 3 then '${SYSTEMS.club}'::uuid else ${id('system', skewed(others, hash(4)))} end,
    case when target in ('session', 'membership') and where_ = 1 then ${id('shop', `1 + g % ${shop}`)} when target in ('session', 'membership') and where_ = 2 then ${id('suite', skewed(suiteAccounts, 'g'))} end,
    case when action = 'membership.roles_changed' then '{"roles":[["Member"],["Editor"]]}'::jsonb else '{}' end, gen_random_uuid()::text
  from (select n, g, ${by(0)} as action, ${by(2)} as target, ${by(3)} as actor,
      case when g % 100 < 42 then 1 when g % 100 < 86 then 2 when g % 100 < 87 then 3 else 4 end as where_, ${id('user', skewed(users, hash(3)))} as person
    from (select n, ${hash(1)} as h, ${hash(2)} as g from generate_series(${from}, ${to}) n) n) e`
  }
