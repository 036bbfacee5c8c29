/** The JSON of service accounts and their keys in requests and responses of the admin API. */
import { Type } from 'typebox'
import { Id, Name, Nullable, pathId, Time, timeOf } from '../../http/schemas.ts'
import { Ids } from '../memberships/schemas.ts'
import type { ServiceAccount, ServiceAccountKey } from './queries.ts'

export const OfAccount = Type.Object({ accountId: pathId('account') })
export const OneServiceAccount = Type.Object({
  ...OfAccount.properties,
  serviceAccountId: pathId('serviceAccount'),
})
export const OneKey = Type.Object({ ...OneServiceAccount.properties, keyId: pathId('key') })

/** One hour and two years, in seconds. */
const [LIFETIME_MIN, LIFETIME_MAX] = [3_600, 63_072_000]

const KEY = {
  id: Id,
  hint: Type.String({ description: 'The last four characters of the secret.' }),
  expiresAt: Nullable(timeOf('When it becomes invalid; null: when it is revoked.')),
  lastUsedAt: Nullable(timeOf('When a token was last issued for it, to the minute.')),
  createdAt: Time,
}
const KeyAnswer = Type.Object(KEY, { title: 'ServiceAccountKey' })
export const CreatedKey = Type.Object(
  { ...KEY, secret: Type.String({ description: 'Starts with `tk_`. It is returned only once.' }) },
  { title: 'CreatedServiceAccountKey' },
)
export const KeyBody = Type.Object(
  {
    expiresIn: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: LIFETIME_MIN,
          maximum: LIFETIME_MAX,
          description: 'Lifetime in seconds, from one hour to two years. Default: null, until it is revoked.',
        }),
      ),
    ),
  },
  { title: 'CreateServiceAccountKey' },
)

const Disabled = Type.Boolean({ description: 'Whether it gets no tokens. Default: false.' })
const Roles = Type.Array(Id, { maxItems: 200, description: 'The ids of its roles.' })
export const ServiceAccountAnswer = Type.Object(
  {
    id: Id,
    systemId: Id,
    accountId: Id,
    clientId: Type.String({ description: 'The `client_id` at `/token`, and the `sub` of the tokens.' }),
    name: Type.String(),
    disabled: Disabled,
    roles: Roles,
    keys: Type.Array(KeyAnswer, { description: 'The keys that have not been revoked, oldest first.' }),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'ServiceAccount' },
)
export const ServiceAccountList = Type.Array(ServiceAccountAnswer)
export const ServiceAccountBody = Type.Object(
  { name: Name, roles: Type.Optional(Ids) },
  { title: 'CreateServiceAccount' },
)
export const ServiceAccountPatch = Type.Object(
  { name: Type.Optional(Name), disabled: Type.Optional(Disabled), roles: Type.Optional(Ids) },
  { title: 'UpdateServiceAccount' },
)

export const keyOf = (key: ServiceAccountKey) => ({
  ...key,
  expiresAt: key.expiresAt?.toISOString() ?? null,
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  createdAt: key.createdAt.toISOString(),
})

export const answerOf = (
  { id, systemId, accountId, clientId, name, disabled, roles, createdAt, updatedAt }: ServiceAccount,
  keys: ServiceAccountKey[] = [],
) => ({
  id,
  systemId,
  accountId,
  clientId,
  name,
  disabled,
  roles,
  keys: keys.map(keyOf),
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})
