/** Emails. A subject has a second form, `…For`, that names the system on whose behalf the email is sent. */
export const email = {
  time: 'Time',
  ipAddress: 'IP address',
  notYou: 'If this was not you, change your password immediately and contact your administrator.',
  notExpected: 'If you did not expect this change, contact your administrator immediately.',
  ignore: 'If this was you, no action is required.',

  passwordChanged: 'Your password was changed',
  passwordChangedFor: 'Your password for {system} was changed',
  byAdministrator:
    'An administrator changed the password of your account {email}. You are signed out on all devices.',
  byLink:
    'The password of your account {email} was changed with a link that was sent to this address. You are signed out on all devices.',
  atSignIn:
    'The password of your account {email} was changed during a sign-in. You are signed out on all other devices.',
  inAccountSettings:
    'The password of your account {email} was changed in your account settings. You are signed out on all other devices.',
  passwordReset: 'Your password was reset',
  passwordResetFor: 'Your password for {system} was reset',
  resetByAdministrator:
    'An administrator reset the password of your account {email}. You are signed out on all devices. Ask the administrator for your temporary password; after you sign in with it, you choose a new one.',

  resetLink: 'Choose a new password',
  resetLinkFor: 'Choose a new password for {system}',
  resetLinkLead:
    'A new password was requested for your account {email}. Choose it with the link below. The link expires after 30 minutes and works once.',
  resetLinkAction: 'Choose a new password',
  resetLinkNotAsked: 'If you did not request this, ignore this email. Your password does not change.',

  verification: 'Verify your email address',
  verificationFor: 'Verify your email address for {system}',
  verificationLead:
    'Verify that {email} is your email address. The link below expires after 24 hours and works once.',
  verificationAction: 'Verify email address',
  verificationNotAsked: 'If you did not request this, ignore this email.',
  registration: 'Create your account',
  registrationFor: 'Create your account for {system}',
  registrationLead:
    'To create an account for {system} with the address {email}, enter this code on the page where you registered. It works once.',
  registrationLinkLead:
    'If that page is no longer open, use the link below and choose a password. The link expires after 24 hours and works once.',
  registrationAction: 'Create account',
  registrationNotAsked:
    'If you did not register, ignore this email and do not share the code. No account is created.',
  accountExists: 'You already have an account',
  accountExistsFor: 'You already have an account for {system}',
  accountExistsLead:
    'Someone tried to create an account for {system} with the address {email}, but you already have an account: sign in with its password. If you forgot the password, choose a new one with the link below. The link expires after 30 minutes and works once.',
  accountExistsNotAsked: 'If this was not you, ignore this email. Nothing was changed.',

  mfaRemoved: 'Two-step verification was removed',
  mfaRemovedFor: 'Two-step verification for {system} was removed',
  mfaRemovedLead:
    'An administrator removed the authenticator app, the passkeys and the recovery codes of your account {email}. You are signed out on all devices.',
  totpAdded: 'An authenticator app was added',
  totpAddedFor: 'An authenticator app was added for {system}',
  totpAddedLead:
    'An authenticator app was added to your account {email}. From now on, a code from the app is required to sign in.',
  passkeyAdded: 'A passkey was added',
  passkeyAddedFor: 'A passkey was added for {system}',
  passkeyAddedLead: 'A passkey was added to your account {email}. It signs in without a password.',
  totpRemoved: 'Your authenticator app was removed',
  totpRemovedFor: 'Your authenticator app for {system} was removed',
  totpRemovedLead: 'The authenticator app was removed from your account {email}.',
  passkeyRemoved: 'A passkey was removed',
  passkeyRemovedFor: 'A passkey for {system} was removed',
  passkeyRemovedLead: 'A passkey was removed from your account {email}.',
  totpRemovedByAdministrator:
    'An administrator removed the authenticator app of your account {email}. You are signed out on all devices.',
  passkeyRemovedByAdministrator:
    'An administrator removed a passkey of your account {email}. You are signed out on all devices.',
  recoveryCodesRenewed: 'New recovery codes were created',
  recoveryCodesRenewedFor: 'New recovery codes for {system} were created',
  recoveryCodesRenewedLead:
    'New recovery codes were created in the settings of your account {email}. Your previous codes no longer work.',
  recoveryCodeUsed: 'A recovery code was used',
  recoveryCodeUsedFor: 'A recovery code was used to sign in to {system}',
  recoveryCodeUsedLead:
    'A recovery code was used to sign in to your account {email}. Recovery codes left: {left}.',

  identityAdded: 'A sign-in method was added',
  identityAddedFor: 'A sign-in method for {system} was added',
  identityAddedLead: 'A {provider} account was connected to your account {email}. It can be used to sign in.',
  identityRemoved: 'A sign-in method was removed',
  identityRemovedFor: 'A sign-in method for {system} was removed',
  identityRemovedLead: 'An administrator disconnected {provider} from your account {email}.',
  identityUnlinkedLead: '{provider} was disconnected from your account {email} in your account settings.',

  mailedCode: 'Your sign-in code',
  mailedCodeFor: 'Your sign-in code for {system}',
  mailedCodeLead:
    'Enter this code to sign in to your account {email}. The code expires after 10 minutes and works once.',
  mailedCodeNotAsked:
    'If you are not signing in, do not share this code with anyone and change your password.',
  signedIn: 'New sign-in to your account',
  signedInFor: 'New sign-in to {system}',
  signedInLead:
    'Your account {email} was used to sign in from a browser or network that we do not recognize.',

  emailChange: 'Confirm your new email address',
  emailChangeLead:
    'A user requested to change the email address of their account to {email}. If this was you, confirm the address with the link below. The link expires after 30 minutes and works once.',
  emailChangeAction: 'Confirm email address',
  emailChangeAllow: 'Approve the change of your email address',
  emailChangeAllowLead:
    'A change of the email address of your account from {email} to {address} was requested. Approve it with the link below, and confirm the new address with the link that we sent to it. Each link expires after 30 minutes and works once.',
  emailChangeAllowAction: 'Approve change',
  emailChangeNotAsked:
    'If this was not you, do not approve it, and change your password. Nothing was changed yet.',
  emailChanged: 'Your email address was changed',
  emailChangedFor: 'Your email address for {system} was changed',
  emailLeft: 'The email address of your account was changed from {email} to {address}.',
  emailLeftByAdministrator:
    'An administrator changed the email address of your account from {email} to {address}.',
  emailTaken: 'The email address of your account is now {email}.',
  emailTakenByAdministrator: 'An administrator changed the email address of your account to {email}.',

  invited: 'You are invited to {account}',
  invitedFor: 'You are invited to {account} in {system}',
  invitation: '{inviter} invites you to {account}',
  invitationFor: '{inviter} invites you to {account} in {system}',
  invitationLead: 'You can join {account} in {system} with the address {email}.',
  invitationWords: '{inviter} writes:',
  invitationAction: 'Open the invitation',
  invitationExpiry: 'The invitation expires on {expiry}.',
  invitationNotExpected:
    'If you do not know who sent this, ignore this email or decline on the page of the link. Do not forward the link.',

  test: 'Test email from {name}',
  testLead: 'This email was sent to {email} from the console of {name}: its mail server works.',
  testIgnore: 'If you did not expect it, ignore this email. Nothing was changed.',
}
