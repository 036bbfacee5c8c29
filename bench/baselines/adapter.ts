/** The common adapter: one table with the payload as JSONB, based on the library's example. */
import type { Adapter, AdapterPayload } from 'oidc-provider'
import type pg from 'pg'

export const TABLES = `
  create table oidc_payloads (
    id text not null,
    type text not null,
    payload jsonb not null,
    grant_id text,
    user_code text,
    uid text,
    expires_at timestamptz,
    consumed_at timestamptz,
    primary key (type, id)
  );
  create index on oidc_payloads (grant_id) where grant_id is not null;
  create index on oidc_payloads (user_code) where user_code is not null;
  create index on oidc_payloads (uid) where uid is not null;
  create table users (id uuid primary key, email text not null unique, password_hash text not null);`

type Row = { payload: AdapterPayload; consumed_at: Date | null }
const LIVE = '(expires_at is null or expires_at > now())'

const opened = (rows: Row[]): AdapterPayload | undefined => {
  const [row] = rows
  return row && { ...row.payload, ...(row.consumed_at && { consumed: true }) }
}

/** Every statement is named, so that each connection prepares it once. */
export function adapterOn(pool: pg.Pool): (type: string) => Adapter {
  const find = (by: 'id' | 'uid' | 'user_code') => async (type: string, value: string) =>
    opened(
      (
        await pool.query<Row>({
          name: `find_${by}`,
          text: `select payload, consumed_at from oidc_payloads where type = $1 and ${by} = $2 and ${LIVE}`,
          values: [type, value],
        })
      ).rows,
    )
  const [byId, byUid, byUserCode] = [find('id'), find('uid'), find('user_code')]
  return (type) => ({
    upsert: async (id, payload, expiresIn) => {
      await pool.query({
        name: 'upsert',
        text: `insert into oidc_payloads (id, type, payload, grant_id, user_code, uid, expires_at)
          values ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 second')
          on conflict (type, id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
            user_code = excluded.user_code, uid = excluded.uid, expires_at = excluded.expires_at`,
        values: [id, type, payload, payload.grantId, payload.userCode, payload.uid, expiresIn],
      })
    },
    find: (id) => byId(type, id),
    findByUid: (uid) => byUid(type, uid),
    findByUserCode: (userCode) => byUserCode(type, userCode),
    consume: async (id) => {
      await pool.query({
        name: 'consume',
        text: 'update oidc_payloads set consumed_at = now() where type = $1 and id = $2',
        values: [type, id],
      })
    },
    destroy: async (id) => {
      await pool.query({
        name: 'destroy',
        text: 'delete from oidc_payloads where type = $1 and id = $2',
        values: [type, id],
      })
    },
    revokeByGrantId: async (grantId) => {
      await pool.query({
        name: 'revoke',
        text: 'delete from oidc_payloads where grant_id = $1',
        values: [grantId],
      })
    },
  })
}
