import type { Answer, Item } from '../../api/queries.ts'

export type System = Answer<'/admin/systems/{systemId}'>
export type Role = Answer<'/admin/systems/{systemId}/roles'>[number]
export type Profile = Item<'/admin/systems/{systemId}/profiles'>

/** What an application is, by its settings: the kinds of the quick start. */
export function clientKindOf(system: Pick<System, 'clientType' | 'redirectUris' | 'allowClientCredentials'>) {
  if (system.clientType === 'public') return 'public'
  return system.allowClientCredentials && system.redirectUris.length === 0 ? 'service' : 'web'
}

/** Whether users register themselves. */
export function registrationOf({
  allowSelfRegister,
  requireAdminActivation,
}: Pick<System, 'allowSelfRegister' | 'requireAdminActivation'>) {
  if (!allowSelfRegister) return 'closed'
  return requireAdminActivation ? 'approval' : 'open'
}
