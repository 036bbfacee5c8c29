import { Problem } from '../../api/problem.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Failed } from '../Failed.tsx'
import { CheckField, Form } from '../Form.tsx'
import { useToast } from '../Toasts.tsx'
import { LastAdmin } from './LastAdmin.tsx'
import type { Member } from './useMemberActions.tsx'

const setOf = (data: FormData, name: string) => data.getAll(name).map(String)
const isSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((each) => others.includes(each))

type RoleProps = {
  systemId: string
  checked?: readonly string[]
  /** What a role of an administrator means. */
  adminHint?: string
  /** Nothing is shown if the system has no roles. */
  hidesNone?: boolean
}

/** The choice among the roles of a system; those that are checked are in the form data as `roles`. */
export function RoleChecks({
  systemId,
  checked = [],
  adminHint = texts.members.adminHint,
  hidesNone = false,
}: RoleProps) {
  const t = texts.members
  const roles = useRead('/admin/systems/{systemId}/roles', { path: { systemId } })
  if (roles.error) return <Failed error={roles.error} />
  if (hidesNone && !roles.data?.length) return null
  return (
    <fieldset>
      <legend>{t.roles}</legend>
      {roles.data?.map(({ id, name, isAdmin, assignableByAccountAdmins }) => (
        <CheckField
          key={id}
          name="roles"
          value={id}
          label={isAdmin ? `${name} (${t.admin})` : name}
          checked={checked.includes(id)}
          hint={[isAdmin && adminHint, !assignableByAccountAdmins && t.reserved].filter(Boolean).join(' ')}
        />
      ))}
      {roles.data?.length === 0 && <p className="muted">{t.noRolesYet}</p>}
    </fieldset>
  )
}

/** Profiles beyond these are assigned by the API. */
const PROFILES = 100

/** The roles and profiles of a member. */
export function MemberForm({ member }: { member: Member }) {
  const t = texts.members
  const { id: membershipId, systemId } = member
  const toast = useToast()
  const query = { pageSize: PROFILES }
  const profiles = useRead('/admin/systems/{systemId}/profiles', { path: { systemId }, query })
  const shown = profiles.data?.data
  const unshown = member.profiles.filter((id) => !shown?.some((each) => each.id === id))
  const save = useChange(
    async (api, { roles, profiles }: { roles: string[]; profiles: string[] | undefined }) => {
      const path = { membershipId }
      if (!isSame(roles, member.roles))
        await api.patch('/admin/memberships/{membershipId}/roles', { path, body: { roles } })
      if (profiles && !isSame(profiles, member.profiles))
        await api.patch('/admin/memberships/{membershipId}/profiles', { path, body: { profiles } })
    },
  )
  const isLastAdmin = save.error instanceof Problem && save.error.code === 'last_admin'
  const undo = () => save.mutate({ roles: member.roles, profiles: member.profiles })
  return (
    <Form
      state={save}
      submit={texts.parts.save}
      onSubmit={(data) =>
        save.mutate(
          { roles: setOf(data, 'roles'), profiles: shown && [...unshown, ...setOf(data, 'profiles')] },
          { onSuccess: () => toast(t.saved, undo) },
        )
      }
    >
      <RoleChecks systemId={systemId} checked={member.roles} />
      {shown && shown.length > 0 && (
        <fieldset>
          <legend>{t.profiles}</legend>
          {shown.map(({ id, name, description }) => (
            <CheckField
              key={id}
              name="profiles"
              value={id}
              label={name}
              hint={description}
              checked={member.profiles.includes(id)}
            />
          ))}
        </fieldset>
      )}
      {isLastAdmin && <LastAdmin member={member} onClose={save.reset} />}
    </Form>
  )
}
