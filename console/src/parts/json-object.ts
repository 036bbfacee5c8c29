import { Problem } from '../api/problem.ts'
import { fill, texts } from '../texts/texts.ts'

/** The object in a text; throws a Problem of the field with the parser's message. */
export function objectOf(text: string): Record<string, unknown> {
  const refuse = (message: string) =>
    new Problem(400, {
      code: 'invalid_request',
      detail: texts.users.notSaved,
      errors: [{ path: '/metadata', message }],
    })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw refuse(fill(texts.users.notJson, { message: (error as Error).message }))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse(texts.users.notObject)
  return value as Record<string, unknown>
}

/** As it is edited. */
export const shownObject = (metadata: object) => JSON.stringify(metadata, null, 2)
