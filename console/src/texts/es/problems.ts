import type { Texts } from '../texts.ts'

export const problems: Texts['problems'] = {
  unreachable: 'El servidor no respondió. Revisa tu conexión y vuelve a intentarlo.',
  unavailable: 'El servidor está ocupado. Vuelve a intentarlo en un momento.',
  internal:
    'El servidor informó de un error. Si vuelve a ocurrir, da el ID de la solicitud a quien administra este servidor.',
  too_many_requests: 'Demasiados intentos. Vuelve a intentarlo más tarde.',
  read_only: 'Puedes consultar esto, pero no cambiarlo.',
  context_not_found: 'Ya no tienes acceso aquí.',
  version_conflict: 'Otra persona cambió esto mientras tanto. Vuelve a cargarlo.',
  last_admin: 'Una organización necesita un administrador. Primero haz administrador a otro miembro.',
  system_not_found: 'Esta aplicación no existe.',
  webhook_not_found: 'Este webhook no existe.',
  last_admin_role: 'La aplicación tiene organizaciones y no quedaría ningún rol que las administre.',
  platform_system: 'Esta aplicación gestiona la instalación y no se puede eliminar.',
  role_name_taken: 'Otro rol tiene este nombre.',
  profile_name_taken: 'Otro perfil tiene este nombre.',
  webhook_disabled: 'El webhook está desactivado. Actívalo primero.',
  account_not_found: 'Esta organización no existe.',
  service_accounts_not_allowed: 'La aplicación no permite cuentas de servicio.',
  email_taken: 'Otro usuario tiene este correo electrónico.',
  insufficient_authority: 'Tu acceso no permite esto.',
  operator_exists: 'Este usuario ya tiene este acceso.',
  membership_exists: 'Esta persona ya es miembro.',
  invitation_exists: 'Esta dirección ya tiene una invitación. Envíala de nuevo.',
  links_not_allowed: 'El mensaje no puede contener enlaces.',
  invitation_ended: 'La invitación ha terminado.',
}
