import type { Texts } from '../texts.ts'

export const accounts: Texts['accounts'] = {
  title: 'Organisationen',
  lead: 'Die Kunden Ihrer Anwendungen: Jede Organisation hat eigene Mitglieder und Administratoren.',
  search: 'Nach Name suchen',
  name: 'Name',
  system: 'Anwendung',
  kind: 'Art',
  kinds: { organization: 'Organisation', personal: 'Persönlich' },
  otherKinds: { personal: 'Persönlich', all: 'Beide' },
  members: 'Mitglieder',
  admins: 'Administratoren',
  noAdmin: 'Keine',
  withoutAdmin: 'Administratoren',
  withoutAdminOptions: { true: 'Keine' },
  pending: 'Freizuschalten',
  created: 'Erstellt',
  new: 'Neue Organisation',
  newLead: 'Danach fügen Sie ihre Mitglieder hinzu und machen eines davon zum Administrator.',
  empty: 'Noch keine Organisationen',
  emptyLead:
    'Eine Organisation ist ein Kunde einer Anwendung, mit eigenen Mitgliedern. Erstellen Sie eine, oder lassen Sie Benutzer ihre eigene erstellen.',
  back: 'Organisationen',
  tabs: {
    members: 'Mitglieder',
    invitations: 'Einladungen',
    serviceAccounts: 'Dienstkonten',
    sessions: 'Sitzungen',
    audit: 'Audit',
    settings: 'Einstellungen',
  },
  viewAs: 'Als ihr Administrator ansehen',
  hasNoAdmin:
    'Niemand kann diese Organisation verwalten: Sie hat keinen aktiven Administrator. Geben Sie einem Mitglied eine Administratorrolle; solche Rollen erstellen Sie auf der Seite der Anwendung unter „Rollen“.',
  nameHint: 'Ihre Mitglieder sehen diesen Namen bei der Anmeldung.',
  membersVisible: 'Mitglieder sehen einander',
  membersVisibleHint:
    'Auf den Seiten der Organisation unter /account. Administratoren sehen immer alle Mitglieder.',
  acceptOtherAddress: 'Einladungen können mit einer anderen Adresse angenommen werden',
  acceptOtherAddressHint:
    'Wer die E-Mail einer Einladung erhält, kann sie weitergeben: Dann kann ein Benutzer mit einer anderen bestätigten Adresse beitreten. Aus: Nur die eingeladene Adresse kann beitreten.',
  membersHidden: 'Mitglieder verborgen',
  otherAddresses: 'Andere Adressen können beitreten',
  delete: 'Organisation löschen',
  deleteTitle: '{name} löschen?',
  deleteLead:
    'Sofort verlieren {members} den Zugriff und enden {sessions}. Die Benutzer selbst bleiben. Das kann nicht rückgängig gemacht werden.',
  deleteMembers: { one: '{count} Mitglied', other: '{count} Mitglieder' },
  deleteSessions: { one: '{count} Sitzung', other: '{count} Sitzungen' },
  deleteHint: 'Ihre Mitglieder verlieren den Zugriff. Die Benutzer selbst bleiben.',
  deleted: 'Organisation gelöscht',
}
