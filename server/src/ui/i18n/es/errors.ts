import type { Catalog } from '../en.ts'

export const errors: Catalog['errors'] = {
  requestTitle: 'No se pudo empezar el inicio de sesión',
  requestLead: 'La aplicación envió una solicitud no válida.',
  requestParameter: 'Parámetro no válido: {parameter}.',
  requestNext:
    'Vuelve a la aplicación e inténtalo de nuevo. Si el error continúa, envía los detalles de abajo a su soporte.',
  expiredTitle: 'Este inicio de sesión caducó',
  expiredLead: 'La página estuvo abierta demasiado tiempo o el inicio de sesión ya se completó.',
  expiredNext: 'Vuelve a la aplicación e inicia sesión de nuevo.',
  deniedTitle: 'Acceso denegado',
  deniedLead: 'Se denegó el acceso a {system}.',
  deniedNext: 'Vuelve a la aplicación o pide acceso a su administrador.',
  formTitle: 'No se pudo enviar el formulario',
  formLead: 'La página estuvo abierta demasiado tiempo o el formulario no se envió desde este sitio.',
  formNext: 'Vuelve a la aplicación e inicia sesión de nuevo.',
  notFoundTitle: 'Página no encontrada',
  notFoundLead: 'No hay ninguna página en esta dirección.',
  notFoundNext: 'Comprueba la dirección o vuelve a la aplicación.',
  busyTitle: 'Demasiados intentos',
  busyLead: 'Para proteger tu cuenta, el número de intentos es limitado.',
  busyNext: 'Espera unos minutos y vuelve a intentarlo.',
  linkUserTitle: 'Primero inicia sesión',
  linkUserLead:
    'Este enlace solo funciona en un navegador en el que has iniciado sesión en la cuenta cuyo correo cambias.',
  linkUserNext: 'Inicia sesión en tu cuenta en este navegador y vuelve a abrir el enlace.',
  linkTitle: 'Este enlace ya no funciona',
  linkLead: 'Ya se usó, caducó o dejó de ser válido.',
  linkNext: 'Abre el correo más reciente o vuelve a la aplicación y solicita un enlace nuevo.',
  providerTitle: 'No se pudo iniciar sesión con otro servicio',
  providerLead: 'El servicio rechazó el inicio de sesión o envió una respuesta no válida.',
  providerNext: 'Vuelve al inicio de sesión e inténtalo de nuevo, o usa otro método.',
  conflictTitle: 'Esta no es la cuenta conectada',
  conflictLead: 'El otro servicio envió una cuenta o una dirección distinta de la que está conectada aquí.',
  conflictNext:
    'Inicia sesión con otro método. Luego quita la cuenta conectada en tu página de seguridad y conecta esta.',
  troubleTitle: 'Algo salió mal',
  troubleLead: 'El error es nuestro y quedó registrado.',
  troubleNext:
    'Vuelve a intentarlo en un momento. Si el error continúa, envía los detalles de abajo al soporte.',

  details: 'Detalles',
  detailCode: 'Error',
  detailParameter: 'Parámetro',
  detailDescription: 'Descripción',
  detailRequest: 'ID de la solicitud',
}
