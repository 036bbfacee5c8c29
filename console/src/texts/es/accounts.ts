import type { Texts } from '../texts.ts'

export const accounts: Texts['accounts'] = {
  title: 'Organizaciones',
  lead: 'Los clientes de tus aplicaciones: cada organización tiene sus propios miembros y administradores.',
  search: 'Buscar por nombre',
  name: 'Nombre',
  system: 'Aplicación',
  kind: 'Tipo',
  kinds: { organization: 'Organización', personal: 'Personal' },
  otherKinds: { personal: 'Personal', all: 'Ambos' },
  members: 'Miembros',
  admins: 'Administradores',
  noAdmin: 'Ninguno',
  withoutAdmin: 'Administradores',
  withoutAdminOptions: { true: 'Ninguno' },
  pending: 'Por aprobar',
  created: 'Creada',
  new: 'Nueva organización',
  newLead: 'Después agregas a sus miembros y haces administrador a uno de ellos.',
  empty: 'Todavía no hay organizaciones',
  emptyLead:
    'Una organización es un cliente de una aplicación, con miembros propios. Crea una o deja que los usuarios creen las suyas.',
  back: 'Organizaciones',
  tabs: {
    members: 'Miembros',
    invitations: 'Invitaciones',
    serviceAccounts: 'Cuentas de servicio',
    sessions: 'Sesiones',
    audit: 'Auditoría',
    settings: 'Configuración',
  },
  viewAs: 'Ver como su administrador',
  hasNoAdmin:
    'Nadie puede gestionar esta organización: no tiene ningún administrador activo. Da a un miembro un rol de administrador.',
  nameHint: 'Sus miembros ven este nombre al iniciar sesión.',
  membersVisible: 'Los miembros se ven entre sí',
  membersVisibleHint:
    'En las páginas de la organización en /account. Los administradores siempre ven a todos los miembros.',
  acceptOtherAddress: 'Se puede aceptar una invitación con otra dirección',
  acceptOtherAddressHint:
    'Quien recibe el correo de una invitación puede pasarlo a otra persona: entonces puede unirse un usuario con otra dirección verificada. Si está desactivado, solo puede unirse la dirección invitada.',
  membersHidden: 'Miembros ocultos',
  otherAddresses: 'Pueden unirse otras direcciones',
  delete: 'Eliminar la organización',
  deleteTitle: '¿Eliminar {name}?',
  deleteLead:
    'Se pierde el acceso de {members} y se cierran de inmediato: {sessions}. Los usuarios se conservan. Esto no se puede deshacer.',
  deleteMembers: { one: '{count} miembro', other: '{count} miembros' },
  deleteSessions: { one: '{count} sesión', other: '{count} sesiones' },
  deleteHint: 'Sus miembros pierden el acceso. Los usuarios se conservan.',
  deleted: 'Se eliminó la organización',
}
