import type { Texts } from '../texts.ts'

export const production: Texts['production'] = {
  title: 'Vor dem Produktivbetrieb',
  lead: 'Was zu setzen ist, bevor sich Benutzer über das Internet anmelden. Auf Ihrem eigenen Rechner kann alles warten.',
  done: 'Erledigt',
  open: 'Offen',
  checks: {
    address: {
      title: 'Adresse mit https',
      open: 'Setzen Sie BASE_URL auf die Adresse, die Benutzer öffnen. Sie muss mit https:// beginnen.',
    },
    proxy: {
      title: 'Adressen der Clients',
      open: 'Setzen Sie TRUST_PROXY auf die Adresse des Proxys vor diesem Server. Sonst haben alle Benutzer die Adresse des Proxys, und ein Limit für einen von ihnen hält die anderen auf.',
    },
    mail: {
      title: 'Mailserver',
      open: 'Setzen Sie MAIL_URL. Sonst sind E-Mails Dateien im Verzeichnis outbox, und kein Benutzer erhält eine.',
    },
    sender: {
      title: 'Absender der E-Mails',
      open: 'Setzen Sie MAIL_FROM auf eine Adresse Ihrer Domain. Mailserver lehnen E-Mails von no-reply@localhost ab.',
    },
    secondFactor: {
      title: 'Zweiter Faktor für diese Konsole',
      open: 'Setzen Sie CONSOLE_REQUIRE_MFA=true. Sonst genügt ein Passwort, um alle Anwendungen und Benutzer zu verwalten.',
    },
    privateAddresses: {
      title: 'Keine Anfragen an private Adressen',
      open: 'Entfernen Sie WEBHOOK_ALLOW_PRIVATE und SOCIAL_ALLOW_PRIVATE, sonst erreichen Webhooks und Identitätsanbieter Server in Ihrem Netz.',
    },
    database: {
      title: 'PostgreSQL',
      open: 'Die eingebettete Datenbank bedient einen Prozess auf einem Rechner. Setzen Sie DATABASE_URL für mehrere Prozesse und für Ausfallsicherheit.',
    },
    metrics: {
      title: 'Überwachung',
      open: 'Setzen Sie METRICS_TOKEN oder METRICS_PORT, und lassen Sie Prometheus /metrics lesen.',
    },
    redirectUris: {
      title: 'Keine Weiterleitung auf den Rechner eines Entwicklers',
      open: 'Entfernen Sie die Redirect-URIs mit localhost aus:',
    },
  },
}
