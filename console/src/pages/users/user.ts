import type { Answer, Item } from '../../api/queries.ts'

/** Of a user who has not accepted to be a member, a system sees the id and the address only. */
export type User = Partial<Extract<Item<'/admin/users'>, { disabled: boolean }>> & {
  id: string
  email: string
}

export type FullUser = Answer<'/admin/users/{userId}'>
