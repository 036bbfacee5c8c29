/** What an admin sends in a form of an organization: a name, and the roles and profiles that they choose. */
import { oneLine } from '../../authentication/registration-input.ts'
import { fits } from '../../http/schema-compilers.ts'
import { Name } from '../../http/schemas.ts'
import { isUuid } from '../../http/uuid.ts'
import type { MemberOption } from '../../ui/pages/self-service/organizations/choices.ts'
import type { OrganizationVisit } from './visit.ts'

type Named = { id: string; name: string; isAdmin?: boolean; assignableByAccountAdmins?: boolean }

/** By name; without those that only the system assigns, unless they are chosen. */
export const optionsOf = (all: Named[], chosen: string[]): MemberOption[] =>
  all
    .map(({ id, name, isAdmin = false, assignableByAccountAdmins: isAssignable = true }) => ({
      id,
      name,
      isAdmin,
      isAssignable,
      isHeld: chosen.includes(id),
    }))
    .filter(({ isHeld, isAssignable }) => isHeld || isAssignable)
    .sort((a, b) => (a.name < b.name ? -1 : 1))

/** The ids of a field that can occur several times. */
export const idsOf = (value: unknown): string[] => [value].flat().filter(isUuid)

export const bodyOf = ({ request }: OrganizationVisit) => (request.body ?? {}) as Record<string, unknown>

/** A typed name; undefined if it is not one. */
export function typedName(visit: OrganizationVisit): { typed: string; name: string | undefined } {
  const { name } = bodyOf(visit)
  const typed = typeof name === 'string' ? oneLine(name) : ''
  return { typed, name: fits(Name, typed) ? typed : undefined }
}
