import type { Texts } from '../texts.ts'

export const accounts: Texts['accounts'] = {
  title: 'Organisations',
  lead: 'Les clients de vos applications : chaque organisation a ses propres membres et administrateurs.',
  search: 'Rechercher par nom',
  name: 'Nom',
  system: 'Application',
  kind: 'Type',
  kinds: { organization: 'Organisation', personal: 'Personnel' },
  otherKinds: { personal: 'Personnel', all: 'Les deux' },
  members: 'Membres',
  admins: 'Administrateurs',
  noAdmin: 'Aucun',
  withoutAdmin: 'Administrateurs',
  withoutAdminOptions: { true: 'Aucun' },
  pending: 'À activer',
  created: 'Création',
  new: 'Nouvelle organisation',
  newLead: 'Vous ajouterez ensuite ses membres et nommerez l’un d’eux administrateur.',
  empty: 'Aucune organisation pour le moment',
  emptyLead:
    'Une organisation est un client d’une application, avec ses propres membres. Créez-en une, ou laissez les utilisateurs créer la leur.',
  back: 'Organisations',
  tabs: {
    members: 'Membres',
    invitations: 'Invitations',
    serviceAccounts: 'Comptes de service',
    sessions: 'Sessions',
    audit: 'Audit',
    settings: 'Paramètres',
  },
  viewAs: 'Voir comme son administrateur',
  hasNoAdmin:
    'Personne ne peut gérer cette organisation : elle n’a aucun administrateur actif. Donnez à un membre un rôle d’administrateur ; ces rôles se créent sur la page de l’application, sous « Rôles ».',
  nameHint: 'Ses membres voient ce nom en se connectant.',
  membersVisible: 'Les membres se voient entre eux',
  membersVisibleHint:
    'Sur les pages de l’organisation sous /account. Les administrateurs voient toujours tous les membres.',
  acceptOtherAddress: 'Une invitation peut être acceptée avec une autre adresse',
  acceptOtherAddressHint:
    'La personne qui reçoit l’e-mail d’une invitation peut le transmettre : un utilisateur avec une autre adresse vérifiée peut alors rejoindre. Désactivé : seule l’adresse invitée peut rejoindre.',
  membersHidden: 'Membres masqués',
  otherAddresses: 'D’autres adresses peuvent rejoindre',
  delete: 'Supprimer l’organisation',
  deleteTitle: 'Supprimer {name} ?',
  deleteLead:
    'Accès perdu immédiatement : {members}. Terminé immédiatement : {sessions}. Les utilisateurs eux-mêmes restent. Cette action est irréversible.',
  deleteMembers: { one: '{count} membre', other: '{count} membres' },
  deleteSessions: { one: '{count} session', other: '{count} sessions' },
  deleteHint: 'Ses membres perdent l’accès. Les utilisateurs eux-mêmes restent.',
  deleted: 'Organisation supprimée',
}
