/** The JSON of the operations that end sessions. */
import { Type } from 'typebox'

export const EndedSessions = Type.Object(
  { ended: Type.Integer({ description: 'The number of sessions that have ended.' }) },
  { title: 'EndedSessions' },
)
