import type { Catalog } from '../en.ts'

export const errors: Catalog['errors'] = {
  requestTitle: 'Die Anmeldung konnte nicht beginnen',
  requestLead: 'Die Anwendung hat eine ungültige Anfrage gesendet.',
  requestParameter: 'Ungültiger Parameter: {parameter}.',
  requestNext:
    'Kehren Sie zur Anwendung zurück und versuchen Sie es erneut. Wenn der Fehler bestehen bleibt, senden Sie die Details unten an deren Support.',
  logoutTitle: 'Sie konnten nicht abgemeldet werden',
  logoutLead: 'Die Anwendung hat eine ungültige Anfrage gesendet. Sie wurden nicht abgemeldet.',
  logoutNext:
    'Kehren Sie zur Anwendung zurück und versuchen Sie es erneut, oder melden Sie sich in Ihren Kontoeinstellungen ab.',
  expiredTitle: 'Diese Anmeldung ist abgelaufen',
  expiredLead: 'Die Seite war zu lange geöffnet, oder die Anmeldung wurde bereits abgeschlossen.',
  expiredNext: 'Kehren Sie zur Anwendung zurück und melden Sie sich erneut an.',
  deniedTitle: 'Zugriff verweigert',
  deniedLead: 'Der Zugriff auf {system} wurde verweigert.',
  deniedNext: 'Kehren Sie zur Anwendung zurück, oder bitten Sie deren Administrator um Zugriff.',
  formTitle: 'Das Formular konnte nicht gesendet werden',
  formLead: 'Die Seite war zu lange geöffnet, oder das Formular kam nicht von dieser Website.',
  formNext: 'Kehren Sie zur Anwendung zurück und melden Sie sich erneut an.',
  notFoundTitle: 'Seite nicht gefunden',
  notFoundLead: 'Unter dieser Adresse gibt es keine Seite.',
  notFoundNext: 'Prüfen Sie die Adresse, oder kehren Sie zur Anwendung zurück.',
  rightTitle: 'Das können Sie hier nicht tun',
  rightLead: 'Nur Administratoren der Organisation können diese Seite öffnen oder diese Änderung vornehmen.',
  rightNext: 'Wenn Sie es können sollten, fragen Sie einen Administrator der Organisation.',
  busyTitle: 'Zu viele Versuche',
  busyLead: 'Zum Schutz Ihres Kontos ist die Anzahl der Versuche begrenzt.',
  busyNext: 'Warten Sie einige Minuten und versuchen Sie es dann erneut.',
  linkUserTitle: 'Melden Sie sich zuerst an',
  linkUserLead:
    'Dieser Link funktioniert nur in einem Browser, in dem Sie bei dem Konto angemeldet sind, dessen Adresse Sie ändern.',
  linkUserNext: 'Melden Sie sich in diesem Browser bei Ihrem Konto an und öffnen Sie den Link dann erneut.',
  linkTitle: 'Dieser Link funktioniert nicht mehr',
  linkLead: 'Er wurde bereits verwendet, ist abgelaufen oder nicht mehr gültig.',
  linkNext:
    'Öffnen Sie die neueste E-Mail, oder kehren Sie zur Anwendung zurück und fordern Sie einen neuen Link an.',
  providerTitle: 'Die Anmeldung mit einem anderen Dienst ist fehlgeschlagen',
  providerLead: 'Der Dienst hat die Anmeldung abgelehnt oder eine ungültige Antwort gesendet.',
  providerNext:
    'Gehen Sie zur Anmeldung zurück und versuchen Sie es erneut, oder melden Sie sich mit einer anderen Methode an.',
  conflictTitle: 'Das ist nicht das verbundene Konto',
  conflictLead:
    'Der andere Dienst hat ein anderes Konto oder eine andere Adresse gesendet als die hier verbundene.',
  conflictNext:
    'Melden Sie sich mit einer anderen Methode an. Entfernen Sie dann auf der Seite „Sicherheit“ das verbundene Konto und verbinden Sie dieses.',
  testTitle: 'Der Test endete mit einem Fehler',
  testLead: 'Bei einer echten Anmeldung hätte {system} diesen Fehler erhalten.',
  testNext: 'Senden Sie die Details unten an die Person, die Sie um den Test gebeten hat.',
  troubleTitle: 'Etwas ist schiefgelaufen',
  troubleLead: 'Der Fehler liegt bei uns und wurde protokolliert.',
  troubleNext:
    'Versuchen Sie es gleich noch einmal. Wenn der Fehler bestehen bleibt, senden Sie die Details unten an den Support.',

  details: 'Details',
  detailCode: 'Fehler',
  detailParameter: 'Parameter',
  detailDescription: 'Beschreibung',
  detailRequest: 'Anfrage-ID',
}
