import type { Texts } from '../texts.ts'

export const testSignIn: Texts['testSignIn'] = {
  title: 'Probar el inicio de sesión',
  lead: '¿Alguien no puede iniciar sesión? Envíale un enlace. Inicia sesión como siempre y ves lo que habría recibido tu aplicación. No se llama a tu aplicación.',
  create: 'Crear un enlace',
  send: 'Envía este enlace al usuario o ábrelo tú. Funciona durante 10 minutos.',
  open: 'Abrir el enlace',
  waiting: 'Esperando el resultado…',
  waitingLead: 'El usuario inicia sesión y después elige «Compartir el resultado». Antes no ves nada.',
  expired: 'El enlace ha caducado y el resultado no se compartió. Crea uno nuevo.',
  shared: 'El usuario ha compartido este resultado.',
  noClaims: 'Nada: el inicio de sesión no llega hasta ahí.',
  verdicts: {
    passed: 'superado',
    asked: 'se preguntaría al usuario',
    refused: 'rechazado',
    skipped: 'no es necesario',
  },
  sentences: {
    'user.another': 'Ha iniciado sesión otro usuario, no aquel para quien es la prueba.',
    'credential.password': 'El usuario inició sesión con la contraseña.',
    'credential.passkey': 'El usuario inició sesión con una llave de acceso.',
    'credential.identity': 'El usuario inició sesión con otro proveedor.',
    'code.mailed': 'El usuario escribió un código de un correo.',
    'factor.verify': 'El usuario confirmó el segundo factor.',
    'membership.pending': 'La membresía espera a un administrador.',
    'membership.blocked': 'La membresía está bloqueada.',
    'membership.none': 'El usuario no es miembro y la aplicación no está abierta al registro.',
    'membership.foreign': 'El usuario no es miembro activo de la organización solicitada.',
    'account.selected': 'El usuario eligió una de varias organizaciones.',
    'consent.scopes': 'Se pediría al usuario que acepte lo que solicita la aplicación.',
  },
}
