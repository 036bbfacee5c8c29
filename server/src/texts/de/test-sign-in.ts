import type { Catalog } from '../en.ts'

export const testSignIn: Catalog['testSignIn'] = {
  title: 'Was {system} erhalten würde',
  lead: 'Dies ist ein Test der Anmeldung. {system} hat nichts erhalten.',
  requestedBy: '{email} hat um diesen Test gebeten.',
  requestedByService: 'Die Administratoren von {system} haben um diesen Test gebeten.',
  steps: 'Schritte der Anmeldung',
  values: 'Werte',
  account: 'Konto',
  credential: 'Sie haben sich angemeldet.',
  code: 'Sie haben einen Code aus einer E-Mail eingegeben.',
  factorVerify: 'Sie haben einen zweiten Faktor bestätigt.',
  addressVerify: 'Sie würden nach einem Code gefragt, der an Ihre E-Mail-Adresse gesendet wird.',
  addressConfirm:
    'Sie würden nach einem Code gefragt, der an Ihre E-Mail-Adresse gesendet wird. Der Test endet hier.',
  passwordChange: 'Sie würden gebeten, ein neues Passwort zu wählen.',
  factorEnrol: 'Sie würden gebeten, einen zweiten Faktor einzurichten.',
  membershipActive: 'Sie haben Zugriff.',
  membershipJoin: 'Sie würden gefragt, ob Sie beitreten möchten.',
  membershipPending: 'Ein Administrator muss Ihren Zugriff freischalten.',
  membershipBlocked: 'Ein Administrator hat Ihren Zugriff gesperrt.',
  membershipNone: 'Sie sind kein Mitglied.',
  membershipForeign: 'Sie sind kein Mitglied des angeforderten Kontos.',
  consentScopes: 'Sie würden gebeten zu erlauben, was die Anwendung anfordert.',
  consentEntry: 'Sie würden gefragt, ob Sie die Mitgliedschaft annehmen.',
  otherUser: 'Dieser Test ist für einen anderen Benutzer.',
  valuesNone: 'Es gibt keine Werte: So weit kommt die Anmeldung nicht.',
  shareLead:
    'Niemand sonst sieht diese Seite. Wenn Sie das Ergebnis teilen, können die Administratoren von {system} diese Schritte und Werte lesen.',
  share: 'Ergebnis teilen',
  shared: 'Sie haben das Ergebnis geteilt. Sie können diese Seite schließen.',
}
