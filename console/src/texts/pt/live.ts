import type { Texts } from '../texts.ts'

export const live: Texts['live'] = {
  title: 'Eventos ao vivo',
  lead: 'O que acontece agora: alterações, logins e recusas, os mais recentes primeiro. Nada é guardado nesta página.',
  pause: 'Pausar',
  resume: { one: 'Continuar ({count} novo)', other: 'Continuar ({count} novos)' },
  clear: 'Limpar',
  download: 'Baixar como JSON',
  onlyFailures: 'Só recusas',
  open: 'Conectado',
  lost: 'Conectando…',
  rate: { one: '{count} no último minuto', other: '{count} no último minuto' },
  none: 'Aguardando algo acontecer',
  noneLead: 'Entre em um aplicativo ou altere algo em outra aba: aparece aqui em alguns segundos.',
  time: 'Hora',
  type: 'O quê',
  who: 'Quem',
}
