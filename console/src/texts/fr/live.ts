import type { Texts } from '../texts.ts'

export const live: Texts['live'] = {
  title: 'Événements en direct',
  lead: 'Ce qui se passe maintenant : modifications, connexions et refus, les plus récents d’abord. Rien n’est enregistré dans cette page.',
  pause: 'Pause',
  resume: { one: 'Continuer ({count} nouveau)', other: 'Continuer ({count} nouveaux)' },
  clear: 'Effacer',
  download: 'Télécharger en JSON',
  onlyFailures: 'Refus seulement',
  open: 'Connecté',
  lost: 'Connexion en cours…',
  rate: { one: '{count} dans la dernière minute', other: '{count} dans la dernière minute' },
  none: 'En attente d’événements',
  noneLead:
    'Connectez-vous à une application, ou modifiez quelque chose dans un autre onglet : cela apparaît ici en quelques secondes.',
  time: 'Heure',
  type: 'Quoi',
  who: 'Qui',
}
