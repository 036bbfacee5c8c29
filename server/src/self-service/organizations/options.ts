/** The roles and profiles that an admin chooses for a member or an invitation. */
import { isUuid } from '../../http/uuid.ts'
import type { MemberOption } from '../../ui/pages/self-service/organizations/choices.ts'

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
