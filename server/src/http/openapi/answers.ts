/** The pieces of which the endpoints are described that have no shapes Fastify could read. */
import type { FastifySchema } from 'fastify'
import { type TSchema, Type } from 'typebox'

/** `undefined` hides an address that only redirects and forms of our own lead to. */
export type Description = (FastifySchema & { summary: string; description?: string }) | undefined

export const optional = (description: string) => Type.Optional(Type.String({ description }))
export const answer = (description: string, content: Record<string, TSchema>) => ({
  description,
  content: Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }])),
})
export const json = (description: string, schema: TSchema) =>
  answer(description, { 'application/json': schema })
export const Html = Type.String({ description: 'A page.' })
export const Anything = Type.Object({}, { additionalProperties: true })

export const FORM_OR_JSON = ['application/x-www-form-urlencoded', 'application/json']
