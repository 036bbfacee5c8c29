import type { Catalog } from '../en.ts'

export const organization: Catalog['organization'] = {
  application: 'Aplicación',
  yourRoles: 'Tus roles',
  noRoles: 'Sin roles',
  since: 'Miembro desde',
  admins: 'Administradores',
  noAdmins: 'Ninguno',
  moreAdmins: 'y otros',
  you: 'tú',
  leave: 'Salir de esta organización',
  leaveLead:
    'Pierdes de inmediato el acceso a {account} y se cierra tu sesión allí. Para volver necesitas una invitación.',
  lastAdmin: 'Eres el único administrador. Primero haz administrador a otro miembro.',
}
