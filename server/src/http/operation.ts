import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  ContextConfigDefault,
  FastifyInstance,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteOptions,
} from 'fastify'

type Operation<Schema extends FastifySchema> = RouteOptions<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  RouteGenericInterface,
  ContextConfigDefault,
  Schema,
  TypeBoxTypeProvider
>

/** One operation: its method and path, its schema and its handler, checked against each other by the compiler. */
export const operation = <const Schema extends FastifySchema>(route: Operation<Schema>): Operation<Schema> =>
  route

/** Registers operations, each made with the parts that its handler needs. */
export function addOperations<Parts>(
  app: FastifyInstance,
  parts: Parts,
  operations: ((parts: Parts) => unknown)[],
): void {
  for (const make of operations) app.route(make(parts) as RouteOptions)
}
