import type { Texts } from '../texts.ts'

export const home: Texts['home'] = {
  title: 'Inicio',
  signIns: 'Inicios de sesión',
  failures: 'Inicios de sesión rechazados',
  tokens: 'Tokens',
  activeUsers: 'Usuarios activos hoy',
  in30Days: '{count} en 30 días',
  newUsers: '{count} nuevos en 7 días',
  members: 'Miembros',
  activeIn30Days: '{count} activos en 30 días',
  sessions: 'Sesiones activas',
  now: 'ahora',
  nothingBefore: 'en 24 horas; ninguno una semana antes',
  asBefore: 'en 24 horas; igual que una semana antes',
  more: 'en 24 horas; {percent} % más que una semana antes',
  less: 'en 24 horas; {percent} % menos que una semana antes',
  period: 'Período',
  activeUsersByDay: 'Usuarios activos',
  windows: { 1: 'En el día', 7: 'En 7 días', 30: 'En 30 días' },
  attention: 'Pendiente de ti',
  pendingMemberships: {
    one: '{count} miembro espera aprobación',
    other: '{count} miembros esperan aprobación',
  },
  failingWebhooks: {
    one: '{count} webhook falla o está desactivado',
    other: '{count} webhooks fallan o están desactivados',
  },
  failedMail: { one: '{count} correo no se entregó', other: '{count} correos no se entregaron' },
  noSecondFactor:
    'La verificación en dos pasos de tu cuenta está desactivada. Quien descubra tu contraseña administra esta instalación.',
  addSecondFactor: 'Agregar un segundo factor',
  failuresByReason: 'Por qué se rechazaron inicios de sesión en las últimas 24 horas',
  firstSteps: 'Tres pasos hasta el primer inicio de sesión',
  createSystem: 'Crea una aplicación',
  createSystemLead:
    'El sitio web, la app o el servicio donde tus usuarios inician sesión. Recibes su client ID y código de ejemplo.',
  createSystemAction: 'Nueva aplicación',
  createUsers: 'Agrega usuarios',
  createUsersLead:
    'Crea un usuario que pueda iniciar sesión en la aplicación, o importa usuarios de otro servicio.',
  createUsersAction: 'Agregar un usuario',
  signIn: 'Inicia sesión',
  signInLead: 'Copia el código de ejemplo, ejecútalo e inicia sesión. Después esta lista desaparece.',
  signInAction: 'Inicio rápido',
  stepDone: 'Hecho',
}
