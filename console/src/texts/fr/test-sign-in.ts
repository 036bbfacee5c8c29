import type { Texts } from '../texts.ts'

export const testSignIn: Texts['testSignIn'] = {
  title: 'Tester la connexion',
  lead: 'Quelqu’un ne peut pas se connecter ? Envoyez-lui un lien. La personne se connecte comme toujours, et vous voyez ce que votre application aurait reçu. Votre application n’est pas appelée.',
  create: 'Créer un lien',
  send: 'Envoyez ce lien à l’utilisateur, ou ouvrez-le vous-même. Il fonctionne pendant 10 minutes.',
  open: 'Ouvrir le lien',
  waiting: 'En attente du résultat…',
  waitingLead:
    'L’utilisateur se connecte, puis choisit « Partager le résultat ». Avant cela, vous ne voyez rien.',
  expired: 'Le lien a expiré, et le résultat n’a pas été partagé. Créez-en un nouveau.',
  shared: 'L’utilisateur a partagé ce résultat.',
  noClaims: 'Rien : la connexion ne va pas jusque-là.',
  verdicts: {
    passed: 'réussi',
    asked: 'l’utilisateur serait sollicité',
    refused: 'refusé',
    skipped: 'non nécessaire',
  },
  sentences: {
    'user.another': 'Un autre utilisateur que celui auquel le test est destiné s’est connecté.',
    'credential.password': 'L’utilisateur s’est connecté avec le mot de passe.',
    'credential.passkey': 'L’utilisateur s’est connecté avec une clé d’accès.',
    'credential.identity': 'L’utilisateur s’est connecté avec un autre fournisseur.',
    'code.mailed': 'L’utilisateur a saisi un code reçu par e-mail.',
    'factor.verify': 'L’utilisateur a confirmé le second facteur.',
    'membership.pending': 'L’adhésion attend un administrateur.',
    'membership.blocked': 'L’adhésion est bloquée.',
    'membership.none': 'L’utilisateur n’est pas membre, et l’application n’est pas ouverte à l’inscription.',
    'membership.foreign': 'L’utilisateur n’est pas membre actif de l’organisation demandée.',
    'account.selected': 'L’utilisateur a choisi une organisation parmi plusieurs.',
    'consent.scopes': 'Il serait demandé à l’utilisateur d’accepter ce que demande l’application.',
  },
}
