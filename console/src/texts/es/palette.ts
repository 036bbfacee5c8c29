import type { Texts } from '../texts.ts'

export const palette: Texts['palette'] = {
  open: 'Buscar',
  title: 'Buscar e ir a',
  hint: 'Correo electrónico, aplicación, organización, ID o página',
  page: 'Página',
  types: {
    user: 'Usuario',
    system: 'Aplicación',
    account: 'Organización',
    membership: 'Miembro',
    webhook: 'Webhook',
    session: 'Sesión',
    role: 'Rol',
    profile: 'Perfil',
    request: 'Solicitud',
  },
  keys: 'Atajos de teclado',
  keysOn: 'Usar atajos de teclado',
  keyList: [
    ['Ctrl K', 'Buscar en todo'],
    ['/', 'Buscar en esta lista'],
    ['j k', 'Fila siguiente y anterior'],
    ['Enter', 'Abrir la fila'],
    ['[ ]', 'Página anterior y siguiente'],
    ['c', 'Crear'],
    ['Esc', 'Cerrar'],
    ['?', 'Mostrar esta lista'],
  ],
}
