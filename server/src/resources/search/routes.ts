/**
 * Names of ids, and a search over the resources of several types. Mounted at /admin/names and /admin/search,
 * behind the admin guard. Both return only what the caller can also read by the resource's own operations.
 */
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { type Reach, reachOf } from '../../http/authority.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { readList } from '../../http/query-values.ts'
import { Id, Nullable, oneOf } from '../../http/schemas.ts'
import { DOCS } from './docs.ts'
import { byId, byText, FOUND_MAX, TYPES } from './find.ts'
import { findNamed, NAMED } from './queries.ts'

const IDS_MAX = 200
const ANY_AUTHORITY = ['platform', 'system', 'account'] as const
const Text = Nullable(Type.String())

const Name = Type.Object(
  {
    type: oneOf(NAMED, { title: 'NamedType', description: 'The type of the resource.' }),
    name: Type.String(),
    detail: Text,
  },
  { title: 'ResourceName' },
)

const Found = Type.Object(
  {
    type: oneOf(TYPES, { title: 'FoundType', description: 'The type of the resource.' }),
    id: Type.String(),
    name: Type.String(),
    detail: Nullable(
      Type.String({
        description:
          'The email address of a user or a member, the client id of a system, the external id of an account, the account of a membership without a name.',
      }),
    ),
    systemId: Nullable(Id),
    href: Type.String({ description: 'The path of an operation that returns the resource.' }),
  },
  { title: 'FoundResource' },
)

type Parts = { db: Db }

const getNames = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/names',
    config: { authority: ANY_AUTHORITY, docs: DOCS.getNames },
    schema: {
      querystring: Type.Object({
        ids: Type.String({
          pattern: '^[!-~]*$',
          maxLength: 12_000,
          'x-message': 'must be ids separated by commas',
          description: `Up to ${IDS_MAX} ids, separated by commas.`,
        }),
      }),
      response: {
        200: Type.Record(Type.String(), Name, { title: 'ResourceNames' }),
        ...failures('invalid_request'),
      },
    },
    handler: async (request) => {
      const ids = readList('ids', request.query.ids, IDS_MAX)
      const found = await findNamed(db, reachOf(request.caller), ids)
      return Object.fromEntries(found.map(({ key, type, name, detail }) => [key, { type, name, detail }]))
    },
  })

const search = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/search',
    config: { authority: ANY_AUTHORITY, docs: DOCS.search },
    schema: {
      querystring: Type.Object({
        q: Type.String({
          'x-unicode': 'NFC',
          maxLength: 254,
          pattern: '^[^\\u0000]*$',
          'x-message': 'must be a text of at most 254 characters',
          description: `An id, or a part of an email address or a name. Returns at most ${FOUND_MAX} resources.`,
        }),
      }),
      response: {
        200: Type.Object({ data: Type.Array(Found) }, { title: 'SearchResult' }),
        ...failures('invalid_request'),
      },
    },
    handler: async (request) => {
      const text = request.query.q.trim()
      const reach: Reach = reachOf(request.caller)
      if (text === '') return { data: [] }
      const named = await byId(db, reach, text)
      return { data: named.length > 0 ? named : await byText(db, reach, text) }
    },
  })

export const searchRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [getNames, search])
