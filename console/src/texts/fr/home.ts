import type { Texts } from '../texts.ts'

export const home: Texts['home'] = {
  title: 'Accueil',
  signIns: 'Connexions',
  failures: 'Connexions refusées',
  tokens: 'Jetons',
  activeUsers: 'Utilisateurs actifs aujourd’hui',
  in30Days: '{count} en 30 jours',
  newUsers: '{count} nouveaux en 7 jours',
  members: 'Membres',
  activeIn30Days: '{count} actifs en 30 jours',
  sessions: 'Sessions actives',
  now: 'maintenant',
  nothingBefore: 'en 24 heures ; aucune il y a une semaine',
  asBefore: 'en 24 heures ; comme il y a une semaine',
  more: 'en 24 heures ; {percent} % de plus qu’il y a une semaine',
  less: 'en 24 heures ; {percent} % de moins qu’il y a une semaine',
  period: 'Période',
  activeUsersByDay: 'Utilisateurs actifs',
  windows: { 1: 'Dans la journée', 7: 'En 7 jours', 30: 'En 30 jours' },
  attention: 'À traiter',
  pendingMemberships: {
    one: '{count} membre en attente d’activation',
    other: '{count} membres en attente d’activation',
  },
  failingWebhooks: {
    one: '{count} webhook en échec ou désactivé',
    other: '{count} webhooks en échec ou désactivés',
  },
  failedMail: {
    one: '{count} e-mail n’a pas été remis',
    other: '{count} e-mails n’ont pas été remis',
  },
  noSecondFactor:
    'La validation en deux étapes de votre compte est désactivée. Quiconque découvre votre mot de passe administre cette installation.',
  addSecondFactor: 'Ajouter un second facteur',
  failuresByReason: 'Pourquoi des connexions ont été refusées ces dernières 24 heures',
  firstSteps: 'Trois étapes vers la première connexion',
  createSystem: 'Créer une application',
  createSystemLead:
    'Le site web, l’application ou le service auquel vos utilisateurs se connectent. Vous obtenez son client ID et des exemples de code.',
  createSystemAction: 'Nouvelle application',
  createUsers: 'Ajouter des utilisateurs',
  createUsersLead:
    'Créez un utilisateur qui peut se connecter à l’application, ou importez des utilisateurs d’un autre service.',
  createUsersAction: 'Ajouter un utilisateur',
  signIn: 'Se connecter',
  signInLead: 'Copiez l’exemple de code, démarrez-le et connectez-vous. Cette liste disparaît alors.',
  signInAction: 'Démarrage rapide',
  stepDone: 'Fait',
}
