import type { Texts } from '../texts.ts'

export const testSignIn: Texts['testSignIn'] = {
  title: 'Anmeldung testen',
  lead: 'Kann sich jemand nicht anmelden? Senden Sie der Person einen Link. Sie meldet sich an wie immer, und Sie sehen, was Ihre Anwendung erhalten hätte. Ihre Anwendung wird nicht aufgerufen.',
  create: 'Link erstellen',
  send: 'Senden Sie diesen Link an den Benutzer, oder öffnen Sie ihn selbst. Er funktioniert 10 Minuten lang.',
  open: 'Link öffnen',
  waiting: 'Warten auf das Ergebnis …',
  waitingLead: 'Der Benutzer meldet sich an und wählt dann „Ergebnis teilen“. Vorher sehen Sie nichts.',
  expired: 'Der Link ist abgelaufen, und das Ergebnis wurde nicht geteilt. Erstellen Sie einen neuen.',
  shared: 'Der Benutzer hat dieses Ergebnis geteilt.',
  noClaims: 'Nichts: So weit kommt die Anmeldung nicht.',
  verdicts: {
    passed: 'bestanden',
    asked: 'der Benutzer würde gefragt',
    refused: 'abgelehnt',
    skipped: 'nicht nötig',
  },
  sentences: {
    'user.another': 'Es hat sich ein anderer Benutzer angemeldet als der, für den der Test ist.',
    'credential.password': 'Der Benutzer hat sich mit dem Passwort angemeldet.',
    'credential.passkey': 'Der Benutzer hat sich mit einem Passkey angemeldet.',
    'credential.identity': 'Der Benutzer hat sich mit einem anderen Anbieter angemeldet.',
    'code.mailed': 'Der Benutzer hat einen Code aus einer E-Mail eingegeben.',
    'factor.verify': 'Der Benutzer hat den zweiten Faktor bestätigt.',
    'membership.pending': 'Die Mitgliedschaft wartet auf einen Administrator.',
    'membership.blocked': 'Die Mitgliedschaft ist gesperrt.',
    'membership.none':
      'Der Benutzer ist kein Mitglied, und die Anwendung ist nicht für die Registrierung offen.',
    'membership.foreign': 'Der Benutzer ist kein aktives Mitglied der angeforderten Organisation.',
    'account.selected': 'Der Benutzer hat eine von mehreren Organisationen ausgewählt.',
    'consent.scopes': 'Der Benutzer würde gebeten zuzustimmen, was die Anwendung anfordert.',
  },
}
