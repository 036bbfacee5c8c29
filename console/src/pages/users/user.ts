import type { Item } from '../../api/queries.ts'

/** Only `id` and `email` are always there: a system sees no more of a user who has not become a member. */
export type User = Item<'/admin/users'>
