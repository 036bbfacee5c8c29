import type { Answer } from '../../api/queries.ts'

export type Account = Answer<'/admin/accounts/{accountId}'>
