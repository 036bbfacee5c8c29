import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  ContextConfigDefault,
  FastifyContextConfig,
  FastifyInstance,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteOptions,
} from 'fastify'
import type { Docs } from './docs.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The description in the OpenAPI document. */
    docs?: Docs
    /**
     * The share that a request of /admin takes (http/limits/shares.ts): `long` for one that takes seconds,
     * `none` for a response that does not end by itself.
     */
    share?: 'long' | 'none'
    /** A GET that writes an audit entry counts as a change (http/limits/write-budget.ts). */
    writes?: true
  }
}

type Config = FastifyContextConfig & Required<Pick<FastifyContextConfig, 'authority' | 'docs'>>

type Operation<Schema extends FastifySchema> = RouteOptions<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  RouteGenericInterface,
  ContextConfigDefault,
  Schema,
  TypeBoxTypeProvider
> & { config: Config }

/**
 * One operation: its method, path, authority, description, schema and handler. The compiler checks the
 * handler against the schema, and rejects an operation without a description.
 */
export const operation = <const Schema extends FastifySchema>(route: Operation<Schema>): Operation<Schema> =>
  route

/** Registers operations, each created with the parts that its handler needs. */
export function addOperations<Parts>(
  app: FastifyInstance,
  parts: Parts,
  operations: ((parts: Parts) => unknown)[],
): void {
  for (const create of operations) app.route(create(parts) as RouteOptions)
}
