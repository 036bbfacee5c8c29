import type { Texts } from '../texts.ts'

export const palette: Texts['palette'] = {
  open: 'Suchen',
  title: 'Suchen und öffnen',
  hint: 'E-Mail-Adresse, Anwendung, Organisation, ID oder Seite',
  page: 'Seite',
  types: {
    user: 'Benutzer',
    system: 'Anwendung',
    account: 'Organisation',
    membership: 'Mitglied',
    webhook: 'Webhook',
    session: 'Sitzung',
    role: 'Rolle',
    profile: 'Profil',
    request: 'Anfrage',
  },
  keys: 'Tastenkürzel',
  keysOn: 'Tastenkürzel verwenden',
  keyList: [
    ['Ctrl K', 'Alles durchsuchen'],
    ['/', 'In dieser Liste suchen'],
    ['j k', 'Nächste und vorherige Zeile'],
    ['Enter', 'Zeile öffnen'],
    ['[ ]', 'Vorherige und nächste Seite'],
    ['c', 'Erstellen'],
    ['Esc', 'Schließen'],
    ['?', 'Diese Liste zeigen'],
  ],
}
