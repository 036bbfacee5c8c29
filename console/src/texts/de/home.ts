import type { Texts } from '../texts.ts'

export const home: Texts['home'] = {
  title: 'Start',
  signIns: 'Anmeldungen',
  failures: 'Abgelehnte Anmeldungen',
  tokens: 'Token',
  activeUsers: 'Heute aktive Benutzer',
  in30Days: '{count} in 30 Tagen',
  newUsers: '{count} neu in 7 Tagen',
  members: 'Mitglieder',
  activeIn30Days: '{count} aktiv in 30 Tagen',
  sessions: 'Aktive Sitzungen',
  now: 'jetzt',
  nothingBefore: 'in 24 Stunden; keine vor einer Woche',
  asBefore: 'in 24 Stunden; wie vor einer Woche',
  more: 'in 24 Stunden; {percent} % mehr als vor einer Woche',
  less: 'in 24 Stunden; {percent} % weniger als vor einer Woche',
  period: 'Zeitraum',
  activeUsersByDay: 'Aktive Benutzer',
  windows: { 1: 'An dem Tag', 7: 'In 7 Tagen', 30: 'In 30 Tagen' },
  attention: 'Wartet auf Sie',
  pendingMemberships: {
    one: '{count} Mitglied wartet auf Freischaltung',
    other: '{count} Mitglieder warten auf Freischaltung',
  },
  failingWebhooks: {
    one: '{count} Webhook ist gestört oder aus',
    other: '{count} Webhooks sind gestört oder aus',
  },
  failedMail: {
    one: '{count} E-Mail wurde nicht zugestellt',
    other: '{count} E-Mails wurden nicht zugestellt',
  },
  noSecondFactor:
    'Die Bestätigung in zwei Schritten ist für Ihr Konto ausgeschaltet. Wer Ihr Passwort erfährt, verwaltet diese Installation.',
  addSecondFactor: 'Zweiten Faktor hinzufügen',
  failuresByReason: 'Warum Anmeldungen in den letzten 24 Stunden abgelehnt wurden',
  firstSteps: 'Drei Schritte zur ersten Anmeldung',
  createSystem: 'Anwendung erstellen',
  createSystemLead:
    'Die Website, die App oder der Dienst, bei dem sich Ihre Benutzer anmelden. Sie erhalten die Client-ID und Beispielcode.',
  createSystemAction: 'Neue Anwendung',
  createUsers: 'Benutzer hinzufügen',
  createUsersLead:
    'Erstellen Sie einen Benutzer, der sich bei der Anwendung anmelden kann, oder importieren Sie Benutzer aus einem anderen Dienst.',
  createUsersAction: 'Benutzer hinzufügen',
  signIn: 'Anmelden',
  signInLead:
    'Kopieren Sie den Beispielcode, starten Sie ihn und melden Sie sich an. Danach verschwindet diese Liste.',
  signInAction: 'Schnellstart',
  stepDone: 'Erledigt',
}
