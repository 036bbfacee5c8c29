import type { Catalog } from '../en.ts'

export const serviceAccounts: Catalog['serviceAccounts'] = {
  tab: 'Dienstkonten',
  title: 'Dienstkonten von {account}',
  lead: 'Programme der Organisation, die ohne Benutzer die API von {system} aufrufen. Jedes hat eigene Schlüssel.',
  none: 'Noch keine Dienstkonten.',
  notAllowed:
    '{system} erlaubt keine Dienstkonten mehr. Ihre Schlüssel erhalten keinen Zugang. Sie können weiterhin Schlüssel widerrufen und Dienstkonten deaktivieren und löschen.',
  new: 'Neues Dienstkonto',
  newLead: 'Danach erstellen Sie einen Schlüssel, mit dem das Programm Zugriff erhält.',
  name: 'Name',
  nameHint: 'Was das Programm tut, zum Beispiel: Nächtlicher Export',
  create: 'Dienstkonto erstellen',
  clientId: 'Client-ID',
  adminHint: 'Nur für die Anwendung: Ein Dienstkonto verwaltet nie Mitglieder.',
  keys: 'Schlüssel',
  noKey: 'Noch kein Schlüssel',
  disabled: 'Deaktiviert',
  disable: 'Deaktivieren',
  disableLead:
    'Das Programm erhält keinen Zugriff mehr, bis Sie es wieder aktivieren. Die Schlüssel bleiben.',
  enable: 'Aktivieren',
  expires: 'Läuft am {date} ab',
  expired: 'Am {date} abgelaufen',
  noExpiry: 'Läuft nicht ab',
  used: 'Zuletzt verwendet am {time}',
  unused: 'Nie verwendet',
  revoke: 'Widerrufen',
  revokeOf: 'Schlüssel {key} widerrufen',
  revokeLead:
    'Ein Programm, das diesen Schlüssel verwendet, erhält keinen Zugriff mehr. Das kann nicht rückgängig gemacht werden.',
  newKey: 'Schlüssel erstellen',
  newKeyLead:
    'Um einen Schlüssel zu ersetzen, erstellen Sie einen neuen, verwenden ihn im Programm und widerrufen dann den ersten.',
  expiresIn: 'Gültig für',
  days30: '30 Tage',
  days90: '90 Tage',
  days365: '1 Jahr',
  forever: 'Bis er widerrufen wird',
  keysMax:
    'Ein Dienstkonto hat höchstens {max} Schlüssel. Widerrufen Sie einen, der nicht mehr verwendet wird.',
  keyTitle: 'Der Schlüssel von {name}',
  keyOnce: 'Kopieren Sie den Schlüssel jetzt und halten Sie ihn geheim. Er wird nicht noch einmal gezeigt.',
  key: 'Schlüssel',
  tokenAddress: 'Token-Adresse',
  keyUse:
    'Das Programm sendet die Client-ID und den Schlüssel an diese Adresse und erhält ein Zugriffstoken (OAuth 2.0 Client Credentials).',
  keyCopied: 'Ich habe den Schlüssel kopiert',
  keyShown:
    'Dieser Schlüssel wurde bereits erstellt und wird nur einmal gezeigt. Wenn Sie ihn nicht kopiert haben, widerrufen Sie ihn und erstellen Sie einen neuen.',
  edit: 'Name und Rollen',
  manage: 'Ändern oder Schlüssel hinzufügen: {name}',
  delete: 'Dienstkonto löschen',
  deleteLead:
    'Seine Schlüssel werden widerrufen, und das Programm hat keinen Zugriff mehr. Das kann nicht rückgängig gemacht werden.',
  reserved:
    'Dieses Dienstkonto hat eine Rolle, die nur die Anwendung vergibt. Nur die Anwendung kann es ändern. Sie können seine Schlüssel widerrufen.',
  all: 'Alle Dienstkonten',
  createdDone: 'Das Dienstkonto wurde erstellt. Erstellen Sie jetzt seinen Schlüssel.',
  savedDone: 'Name und Rollen wurden gespeichert.',
  deletedDone: 'Das Dienstkonto wurde gelöscht.',
  revokedDone: 'Der Schlüssel wurde widerrufen.',
  disabledDone: 'Das Dienstkonto wurde deaktiviert.',
  enabledDone: 'Das Dienstkonto wurde aktiviert.',
}
