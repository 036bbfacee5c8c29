import type { Catalog } from '../en.ts'

export const organization: Catalog['organization'] = {
  application: 'Application',
  yourRoles: 'Vos rôles',
  noRoles: 'Aucun rôle',
  since: 'Membre depuis',
  admins: 'Administrateurs',
  noAdmins: 'Aucun',
  moreAdmins: 'et d’autres',
  you: 'vous',
  leave: 'Quitter cette organisation',
  leaveLead:
    'Vous perdez immédiatement l’accès à {account} et y êtes déconnecté. Pour revenir, il vous faut une invitation.',
  lastAdmin: 'Vous êtes le seul administrateur. Nommez d’abord un autre membre administrateur.',
}
