import type { Catalog } from '../en.ts'

export const email: Catalog['email'] = {
  time: 'Zeit',
  ipAddress: 'IP-Adresse',
  notYou:
    'Wenn Sie das nicht waren, ändern Sie sofort Ihr Passwort und wenden Sie sich an Ihren Administrator.',
  notExpected: 'Wenn Sie diese Änderung nicht erwartet haben, wenden Sie sich sofort an Ihren Administrator.',
  ignore: 'Wenn Sie das waren, müssen Sie nichts tun.',

  passwordChanged: 'Ihr Passwort wurde geändert',
  passwordChangedFor: 'Ihr Passwort für {system} wurde geändert',
  byAdministrator:
    'Ein Administrator hat das Passwort Ihres Kontos {email} geändert. Sie sind auf allen Geräten abgemeldet.',
  byLink:
    'Das Passwort Ihres Kontos {email} wurde mit einem Link geändert, der an diese Adresse gesendet wurde. Sie sind auf allen Geräten abgemeldet.',
  atSignIn:
    'Das Passwort Ihres Kontos {email} wurde bei einer Anmeldung geändert. Sie sind auf allen anderen Geräten abgemeldet.',
  inAccountSettings:
    'Das Passwort Ihres Kontos {email} wurde in Ihren Kontoeinstellungen geändert. Sie sind auf allen anderen Geräten abgemeldet.',
  passwordReset: 'Ihr Passwort wurde zurückgesetzt',
  passwordResetFor: 'Ihr Passwort für {system} wurde zurückgesetzt',
  resetByAdministrator:
    'Ein Administrator hat das Passwort Ihres Kontos {email} zurückgesetzt. Sie sind auf allen Geräten abgemeldet. Fragen Sie den Administrator nach Ihrem vorläufigen Passwort; nachdem Sie sich damit angemeldet haben, wählen Sie ein neues.',

  resetLink: 'Wählen Sie ein neues Passwort',
  resetLinkFor: 'Wählen Sie ein neues Passwort für {system}',
  resetLinkLead:
    'Für Ihr Konto {email} wurde ein neues Passwort angefordert. Wählen Sie es über den Link unten. Der Link läuft nach 30 Minuten ab und funktioniert einmal.',
  resetLinkAction: 'Neues Passwort wählen',
  resetLinkNotAsked:
    'Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Ihr Passwort ändert sich nicht.',

  verification: 'Bestätigen Sie Ihre E-Mail-Adresse',
  verificationFor: 'Bestätigen Sie Ihre E-Mail-Adresse für {system}',
  verificationLead:
    'Bestätigen Sie, dass {email} Ihre E-Mail-Adresse ist. Der Link unten läuft nach 24 Stunden ab und funktioniert einmal.',
  verificationAction: 'E-Mail-Adresse bestätigen',
  verificationNotAsked: 'Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail.',
  registration: 'Erstellen Sie Ihr Konto',
  registrationFor: 'Erstellen Sie Ihr Konto für {system}',
  registrationLead:
    'Um ein Konto für {system} mit der Adresse {email} zu erstellen, geben Sie diesen Code auf der Seite ein, auf der Sie sich registriert haben. Er funktioniert einmal.',
  registrationLinkLead:
    'Wenn diese Seite nicht mehr geöffnet ist, verwenden Sie den Link unten und wählen Sie ein Passwort. Der Link läuft nach 24 Stunden ab und funktioniert einmal.',
  registrationAction: 'Konto erstellen',
  registrationNotAsked:
    'Wenn Sie sich nicht registriert haben, ignorieren Sie diese E-Mail und geben Sie den Code nicht weiter. Es wird kein Konto erstellt.',
  accountExists: 'Sie haben bereits ein Konto',
  accountExistsFor: 'Sie haben bereits ein Konto für {system}',
  accountExistsLead:
    'Jemand hat versucht, ein Konto für {system} mit der Adresse {email} zu erstellen, aber Sie haben bereits ein Konto: Melden Sie sich mit dessen Passwort an. Wenn Sie das Passwort vergessen haben, wählen Sie über den Link unten ein neues. Der Link läuft nach 30 Minuten ab und funktioniert einmal.',
  accountExistsNotAsked: 'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Es wurde nichts geändert.',

  mfaRemoved: 'Die Bestätigung in zwei Schritten wurde entfernt',
  mfaRemovedFor: 'Die Bestätigung in zwei Schritten für {system} wurde entfernt',
  mfaRemovedLead:
    'Ein Administrator hat die Authenticator-App, die Passkeys und die Wiederherstellungscodes Ihres Kontos {email} entfernt. Sie sind auf allen Geräten abgemeldet.',
  totpAdded: 'Eine Authenticator-App wurde hinzugefügt',
  totpAddedFor: 'Eine Authenticator-App wurde für {system} hinzugefügt',
  totpAddedLead:
    'Ihrem Konto {email} wurde eine Authenticator-App hinzugefügt. Ab jetzt ist für die Anmeldung ein Code aus der App erforderlich.',
  passkeyAdded: 'Ein Passkey wurde hinzugefügt',
  passkeyAddedFor: 'Ein Passkey wurde für {system} hinzugefügt',
  passkeyAddedLead:
    'Ihrem Konto {email} wurde ein Passkey hinzugefügt. Er ermöglicht die Anmeldung ohne Passwort.',
  totpRemoved: 'Ihre Authenticator-App wurde entfernt',
  totpRemovedFor: 'Ihre Authenticator-App für {system} wurde entfernt',
  totpRemovedLead: 'Die Authenticator-App wurde aus Ihrem Konto {email} entfernt.',
  passkeyRemoved: 'Ein Passkey wurde entfernt',
  passkeyRemovedFor: 'Ein Passkey für {system} wurde entfernt',
  passkeyRemovedLead: 'Ein Passkey wurde aus Ihrem Konto {email} entfernt.',
  totpRemovedByAdministrator:
    'Ein Administrator hat die Authenticator-App Ihres Kontos {email} entfernt. Sie sind auf allen Geräten abgemeldet.',
  passkeyRemovedByAdministrator:
    'Ein Administrator hat einen Passkey Ihres Kontos {email} entfernt. Sie sind auf allen Geräten abgemeldet.',
  recoveryCodesRenewed: 'Neue Wiederherstellungscodes wurden erstellt',
  recoveryCodesRenewedFor: 'Neue Wiederherstellungscodes für {system} wurden erstellt',
  recoveryCodesRenewedLead:
    'In den Einstellungen Ihres Kontos {email} wurden neue Wiederherstellungscodes erstellt. Ihre bisherigen Codes funktionieren nicht mehr.',
  recoveryCodeUsed: 'Ein Wiederherstellungscode wurde verwendet',
  recoveryCodeUsedFor: 'Ein Wiederherstellungscode wurde zur Anmeldung bei {system} verwendet',
  recoveryCodeUsedLead:
    'Zur Anmeldung bei Ihrem Konto {email} wurde ein Wiederherstellungscode verwendet. Übrige Wiederherstellungscodes: {left}.',

  identityAdded: 'Eine Anmeldemethode wurde hinzugefügt',
  identityAddedFor: 'Eine Anmeldemethode für {system} wurde hinzugefügt',
  identityAddedLead:
    'Ein {provider}-Konto wurde mit Ihrem Konto {email} verbunden. Es kann zur Anmeldung verwendet werden.',
  identityRemoved: 'Eine Anmeldemethode wurde entfernt',
  identityRemovedFor: 'Eine Anmeldemethode für {system} wurde entfernt',
  identityRemovedLead: 'Ein Administrator hat {provider} von Ihrem Konto {email} getrennt.',
  identityUnlinkedLead: '{provider} wurde in Ihren Kontoeinstellungen von Ihrem Konto {email} getrennt.',

  mailedCode: 'Ihr Anmeldecode',
  mailedCodeFor: 'Ihr Anmeldecode für {system}',
  mailedCodeLead:
    'Geben Sie diesen Code ein, um sich bei Ihrem Konto {email} anzumelden. Der Code läuft nach 10 Minuten ab und funktioniert einmal.',
  mailedCodeNotAsked:
    'Wenn Sie sich nicht gerade anmelden, geben Sie diesen Code an niemanden weiter und ändern Sie Ihr Passwort.',
  signedIn: 'Neue Anmeldung bei Ihrem Konto',
  signedInFor: 'Neue Anmeldung bei {system}',
  signedInLead:
    'Mit Ihrem Konto {email} gab es eine Anmeldung aus einem Browser oder Netzwerk, das wir nicht kennen.',

  emailChange: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
  emailChangeLead:
    'Jemand möchte die E-Mail-Adresse seines Kontos in {email} ändern. Wenn Sie das waren, bestätigen Sie die Adresse über den Link unten. Der Link läuft nach 30 Minuten ab und funktioniert einmal.',
  emailChangeAction: 'E-Mail-Adresse bestätigen',
  emailChangeAllow: 'Stimmen Sie der Änderung Ihrer E-Mail-Adresse zu',
  emailChangeAllowLead:
    'Die E-Mail-Adresse Ihres Kontos soll von {email} in {address} geändert werden. Stimmen Sie über den Link unten zu, und bestätigen Sie die neue Adresse mit dem Link, den wir an sie gesendet haben. Jeder Link läuft nach 30 Minuten ab und funktioniert einmal.',
  emailChangeAllowAction: 'Änderung zustimmen',
  emailChangeNotAsked:
    'Wenn Sie das nicht waren, stimmen Sie nicht zu und ändern Sie Ihr Passwort. Es wurde noch nichts geändert.',
  emailChanged: 'Ihre E-Mail-Adresse wurde geändert',
  emailChangedFor: 'Ihre E-Mail-Adresse für {system} wurde geändert',
  emailLeft: 'Die E-Mail-Adresse Ihres Kontos wurde von {email} in {address} geändert.',
  emailLeftByAdministrator:
    'Ein Administrator hat die E-Mail-Adresse Ihres Kontos von {email} in {address} geändert.',
  emailTaken: 'Die E-Mail-Adresse Ihres Kontos ist jetzt {email}.',
  emailTakenByAdministrator: 'Ein Administrator hat die E-Mail-Adresse Ihres Kontos in {email} geändert.',

  invited: 'Sie sind zu {account} eingeladen',
  invitedFor: 'Sie sind zu {account} in {system} eingeladen',
  invitation: '{inviter} lädt Sie zu {account} ein',
  invitationFor: '{inviter} lädt Sie zu {account} in {system} ein',
  invitationLead: 'Sie können {account} in {system} mit der Adresse {email} beitreten.',
  invitationWords: '{inviter} schreibt:',
  invitationAction: 'Einladung öffnen',
  invitationExpiry: 'Die Einladung läuft am {expiry} ab.',
  invitationNotExpected:
    'Wenn Sie den Absender nicht kennen, ignorieren Sie diese E-Mail oder lehnen Sie auf der Seite des Links ab. Leiten Sie den Link nicht weiter.',

  test: 'Test-E-Mail von {name}',
  testLead:
    'Diese E-Mail wurde über die Konsole von {name} an {email} gesendet: Der Mailserver funktioniert.',
  testIgnore: 'Wenn Sie sie nicht erwartet haben, ignorieren Sie diese E-Mail. Nichts wurde geändert.',
}
