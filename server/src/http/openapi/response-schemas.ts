/** Schemas of the endpoints that Fastify does not validate. */
import type { FastifySchema } from 'fastify'
import { type TSchema, Type } from 'typebox'

/** `undefined` for a route that only redirects and pages of the server use. */
export type Description = (FastifySchema & { operationId: string }) | undefined

export const optionalText = (description: string) => Type.Optional(Type.String({ description }))
export const answer = (description: string, content: Record<string, TSchema>) => ({
  description,
  content: Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }])),
})
export const json = (description: string, schema: TSchema) =>
  answer(description, { 'application/json': schema })
export const HtmlBody = Type.String()
export const Anything = Type.Object({}, { additionalProperties: true })

/**
 * One media type per operation: generators make two methods of two types, or code that does not run. The
 * endpoints of the protocol accept JSON as well, those of a sign-in the forms of our pages.
 */
export const FORM = ['application/x-www-form-urlencoded']
export const JSON_BODY = ['application/json']
