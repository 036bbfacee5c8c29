import type { Catalog } from '../en.ts'

export const organization: Catalog['organization'] = {
  application: 'Anwendung',
  yourRoles: 'Ihre Rollen',
  noRoles: 'Keine Rollen',
  since: 'Mitglied seit',
  admins: 'Administratoren',
  noAdmins: 'Keine',
  moreAdmins: 'und weitere',
  you: 'Sie',
  leave: 'Diese Organisation verlassen',
  leaveLead:
    'Sie verlieren sofort den Zugriff auf {account} und werden dort abgemeldet. Um zurückzukehren, brauchen Sie eine Einladung.',
  lastAdmin: 'Sie sind der einzige Administrator. Machen Sie zuerst ein anderes Mitglied zum Administrator.',
}
