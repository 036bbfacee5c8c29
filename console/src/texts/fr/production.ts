import type { Texts } from '../texts.ts'

export const production: Texts['production'] = {
  title: 'Avant la mise en production',
  lead: 'Ce qu’il faut définir avant que des utilisateurs se connectent par Internet. Sur votre propre machine, tout cela peut attendre.',
  done: 'Fait',
  open: 'À faire',
  checks: {
    address: {
      title: 'Adresse en https',
      open: 'Définissez BASE_URL : l’adresse que les utilisateurs ouvrent. Elle doit commencer par https://.',
    },
    proxy: {
      title: 'Adresses des clients',
      open: 'Définissez TRUST_PROXY : l’adresse du proxy devant ce serveur. Sinon, tous les utilisateurs ont l’adresse du proxy, et une limite pour l’un d’eux arrête les autres.',
    },
    mail: {
      title: 'Serveur de messagerie',
      open: 'Définissez MAIL_URL. Sinon, les e-mails sont des fichiers du répertoire outbox, et aucun utilisateur n’en reçoit.',
    },
    sender: {
      title: 'Expéditeur des e-mails',
      open: 'Définissez MAIL_FROM : une adresse de votre domaine. Les serveurs de messagerie refusent les e-mails de no-reply@localhost.',
    },
    secondFactor: {
      title: 'Second facteur pour cette console',
      open: 'Définissez CONSOLE_REQUIRE_MFA=true. Sinon, un mot de passe suffit pour gérer toutes les applications et tous les utilisateurs.',
    },
    privateAddresses: {
      title: 'Aucune requête vers des adresses privées',
      open: 'Supprimez WEBHOOK_ALLOW_PRIVATE et SOCIAL_ALLOW_PRIVATE ; sinon, les webhooks et les fournisseurs d’identité atteignent des serveurs de votre réseau.',
    },
    database: {
      title: 'PostgreSQL',
      open: 'La base de données intégrée sert un seul processus sur une machine. Définissez DATABASE_URL pour plusieurs processus et pour la bascule.',
    },
    metrics: {
      title: 'Supervision',
      open: 'Définissez METRICS_TOKEN ou METRICS_PORT, et faites lire /metrics par Prometheus.',
    },
    redirectUris: {
      title: 'Aucune redirection vers la machine d’un développeur',
      open: 'Supprimez les URI de redirection avec localhost de :',
    },
  },
}
