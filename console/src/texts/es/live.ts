import type { Texts } from '../texts.ts'

export const live: Texts['live'] = {
  title: 'Eventos en vivo',
  lead: 'Lo que ocurre ahora: cambios, inicios de sesión y rechazos, lo más reciente primero. Esta página no guarda nada.',
  pause: 'Pausar',
  resume: { one: 'Continuar ({count} nuevo)', other: 'Continuar ({count} nuevos)' },
  clear: 'Vaciar',
  download: 'Descargar como JSON',
  onlyFailures: 'Solo rechazos',
  open: 'Conectado',
  lost: 'Conectando…',
  rate: { one: '{count} en el último minuto', other: '{count} en el último minuto' },
  none: 'Esperando a que ocurra algo',
  noneLead: 'Inicia sesión en una aplicación o cambia algo en otra pestaña: aparece aquí en unos segundos.',
  time: 'Hora',
  type: 'Qué',
  who: 'Quién',
}
