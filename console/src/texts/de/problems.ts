import type { Texts } from '../texts.ts'

export const problems: Texts['problems'] = {
  unreachable: 'Der Server hat nicht geantwortet. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
  unavailable: 'Der Server ist ausgelastet. Versuchen Sie es gleich noch einmal.',
  internal:
    'Der Server hat einen Fehler gemeldet. Wenn er erneut auftritt, geben Sie die Anfrage-ID an den Betreiber dieses Servers weiter.',
  too_many_requests: 'Zu viele Versuche. Versuchen Sie es später erneut.',
  read_only: 'Sie können das ansehen, aber nicht ändern.',
  context_not_found: 'Sie haben hier keinen Zugriff mehr.',
  version_conflict: 'Jemand anderes hat das inzwischen geändert. Laden Sie es neu.',
  last_admin:
    'Eine Organisation braucht einen Administrator. Machen Sie zuerst ein anderes Mitglied zum Administrator.',
  system_not_found: 'Diese Anwendung gibt es nicht.',
  account_not_found: 'Diese Organisation gibt es nicht.',
  webhook_not_found: 'Diesen Webhook gibt es nicht.',
  last_admin_role: 'Die Anwendung hat Organisationen, und es bliebe keine Rolle, die sie verwaltet.',
  platform_system: 'Diese Anwendung verwaltet die Installation und kann nicht gelöscht werden.',
  role_name_taken: 'Eine andere Rolle hat diesen Namen.',
  profile_name_taken: 'Ein anderes Profil hat diesen Namen.',
  webhook_disabled: 'Der Webhook ist deaktiviert. Aktivieren Sie ihn zuerst.',
  service_accounts_not_allowed: 'Die Anwendung erlaubt keine Dienstkonten.',
  email_taken: 'Ein anderer Benutzer hat diese E-Mail-Adresse.',
  insufficient_authority: 'Ihr Zugriff erlaubt das nicht.',
  operator_exists: 'Dieser Benutzer hat diesen Zugriff bereits.',
  membership_exists: 'Diese Person ist bereits Mitglied.',
  invitation_exists: 'Diese Adresse hat bereits eine Einladung. Senden Sie sie erneut.',
  links_not_allowed: 'Die Nachricht darf keinen Link enthalten.',
  invitation_ended: 'Die Einladung ist beendet.',
}
