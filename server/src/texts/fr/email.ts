import type { Catalog } from '../en.ts'

export const email: Catalog['email'] = {
  time: 'Date et heure',
  ipAddress: 'Adresse IP',
  notYou:
    'Si ce n’était pas vous, modifiez immédiatement votre mot de passe et contactez votre administrateur.',
  notExpected:
    'Si vous ne vous attendiez pas à cette modification, contactez immédiatement votre administrateur.',
  ignore: 'Si c’était vous, vous n’avez rien à faire.',

  passwordChanged: 'Votre mot de passe a été modifié',
  passwordChangedFor: 'Votre mot de passe pour {system} a été modifié',
  byAdministrator:
    'Un administrateur a modifié le mot de passe de votre compte {email}. Vous êtes déconnecté de tous les appareils.',
  byLink:
    'Le mot de passe de votre compte {email} a été modifié à l’aide d’un lien envoyé à cette adresse. Vous êtes déconnecté de tous les appareils.',
  atSignIn:
    'Le mot de passe de votre compte {email} a été modifié lors d’une connexion. Vous êtes déconnecté de tous les autres appareils.',
  inAccountSettings:
    'Le mot de passe de votre compte {email} a été modifié dans les paramètres de votre compte. Vous êtes déconnecté de tous les autres appareils.',
  passwordReset: 'Votre mot de passe a été réinitialisé',
  passwordResetFor: 'Votre mot de passe pour {system} a été réinitialisé',
  resetByAdministrator:
    'Un administrateur a réinitialisé le mot de passe de votre compte {email}. Vous êtes déconnecté de tous les appareils. Demandez votre mot de passe provisoire à l’administrateur ; après vous être connecté avec celui-ci, vous en choisirez un nouveau.',

  resetLink: 'Choisissez un nouveau mot de passe',
  resetLinkFor: 'Choisissez un nouveau mot de passe pour {system}',
  resetLinkLead:
    'Un nouveau mot de passe a été demandé pour votre compte {email}. Choisissez-le à l’aide du lien ci-dessous. Le lien expire au bout de 30 minutes et fonctionne une seule fois.',
  resetLinkAction: 'Choisir un nouveau mot de passe',
  resetLinkNotAsked:
    'Si vous n’êtes pas à l’origine de cette demande, ignorez cet e-mail. Votre mot de passe ne change pas.',

  verification: 'Confirmez votre adresse e-mail',
  verificationFor: 'Confirmez votre adresse e-mail pour {system}',
  verificationLead:
    'Confirmez que {email} est votre adresse e-mail. Le lien ci-dessous expire au bout de 24 heures et fonctionne une seule fois.',
  verificationAction: 'Confirmer l’adresse e-mail',
  verificationNotAsked: 'Si vous n’êtes pas à l’origine de cette demande, ignorez cet e-mail.',
  registration: 'Créez votre compte',
  registrationFor: 'Créez votre compte pour {system}',
  registrationLead:
    'Pour créer un compte pour {system} avec l’adresse {email}, saisissez ce code sur la page où vous vous êtes inscrit. Il fonctionne une seule fois.',
  registrationLinkLead:
    'Si cette page n’est plus ouverte, utilisez le lien ci-dessous et choisissez un mot de passe. Le lien expire au bout de 24 heures et fonctionne une seule fois.',
  registrationAction: 'Créer un compte',
  registrationNotAsked:
    'Si vous ne vous êtes pas inscrit, ignorez cet e-mail et ne communiquez pas le code. Aucun compte ne sera créé.',
  accountExists: 'Vous avez déjà un compte',
  accountExistsFor: 'Vous avez déjà un compte pour {system}',
  accountExistsLead:
    'Quelqu’un a essayé de créer un compte pour {system} avec l’adresse {email}, mais vous avez déjà un compte : connectez-vous avec son mot de passe. Si vous avez oublié le mot de passe, choisissez-en un nouveau à l’aide du lien ci-dessous. Le lien expire au bout de 30 minutes et fonctionne une seule fois.',
  accountExistsNotAsked: 'Si ce n’était pas vous, ignorez cet e-mail. Rien n’a été modifié.',

  mfaRemoved: 'La validation en deux étapes a été supprimée',
  mfaRemovedFor: 'La validation en deux étapes pour {system} a été supprimée',
  mfaRemovedLead:
    'Un administrateur a supprimé l’application d’authentification, les clés d’accès et les codes de récupération de votre compte {email}. Vous êtes déconnecté de tous les appareils.',
  totpAdded: 'Une application d’authentification a été ajoutée',
  totpAddedFor: 'Une application d’authentification a été ajoutée pour {system}',
  totpAddedLead:
    'Une application d’authentification a été ajoutée à votre compte {email}. Un code de l’application est désormais requis pour se connecter.',
  passkeyAdded: 'Une clé d’accès a été ajoutée',
  passkeyAddedFor: 'Une clé d’accès a été ajoutée pour {system}',
  passkeyAddedLead:
    'Une clé d’accès a été ajoutée à votre compte {email}. Elle permet de se connecter sans mot de passe.',
  totpRemoved: 'Votre application d’authentification a été supprimée',
  totpRemovedFor: 'Votre application d’authentification pour {system} a été supprimée',
  totpRemovedLead: 'L’application d’authentification a été supprimée de votre compte {email}.',
  passkeyRemoved: 'Une clé d’accès a été supprimée',
  passkeyRemovedFor: 'Une clé d’accès pour {system} a été supprimée',
  passkeyRemovedLead: 'Une clé d’accès a été supprimée de votre compte {email}.',
  totpRemovedByAdministrator:
    'Un administrateur a supprimé l’application d’authentification de votre compte {email}. Vous êtes déconnecté de tous les appareils.',
  passkeyRemovedByAdministrator:
    'Un administrateur a supprimé une clé d’accès de votre compte {email}. Vous êtes déconnecté de tous les appareils.',
  recoveryCodesRenewed: 'De nouveaux codes de récupération ont été créés',
  recoveryCodesRenewedFor: 'De nouveaux codes de récupération pour {system} ont été créés',
  recoveryCodesRenewedLead:
    'De nouveaux codes de récupération ont été créés dans les paramètres de votre compte {email}. Vos codes précédents ne fonctionnent plus.',
  recoveryCodeUsed: 'Un code de récupération a été utilisé',
  recoveryCodeUsedFor: 'Un code de récupération a été utilisé pour se connecter à {system}',
  recoveryCodeUsedLead:
    'Un code de récupération a été utilisé pour se connecter à votre compte {email}. Codes de récupération restants : {left}.',

  identityAdded: 'Une méthode de connexion a été ajoutée',
  identityAddedFor: 'Une méthode de connexion pour {system} a été ajoutée',
  identityAddedLead:
    'Un compte {provider} a été associé à votre compte {email}. Il peut être utilisé pour se connecter.',
  identityRemoved: 'Une méthode de connexion a été supprimée',
  identityRemovedFor: 'Une méthode de connexion pour {system} a été supprimée',
  identityRemovedLead: 'Un administrateur a dissocié {provider} de votre compte {email}.',
  identityUnlinkedLead:
    '{provider} a été dissocié de votre compte {email} dans les paramètres de votre compte.',

  mailedCode: 'Votre code de connexion',
  mailedCodeFor: 'Votre code de connexion pour {system}',
  mailedCodeLead:
    'Saisissez ce code pour vous connecter à votre compte {email}. Le code expire au bout de 10 minutes et fonctionne une seule fois.',
  mailedCodeNotAsked:
    'Si vous n’êtes pas en train de vous connecter, ne communiquez ce code à personne et modifiez votre mot de passe.',
  signedIn: 'Nouvelle connexion à votre compte',
  signedInFor: 'Nouvelle connexion à {system}',
  signedInLead:
    'Votre compte {email} a été utilisé pour se connecter depuis un navigateur ou un réseau que nous ne reconnaissons pas.',

  emailChange: 'Confirmez votre nouvelle adresse e-mail',
  emailChangeLead:
    'Un utilisateur a demandé à remplacer l’adresse e-mail de son compte par {email}. Si c’était vous, confirmez l’adresse à l’aide du lien ci-dessous. Le lien expire au bout de 30 minutes et fonctionne une seule fois.',
  emailChangeAction: 'Confirmer l’adresse e-mail',
  emailChangeAllow: 'Approuvez la modification de votre adresse e-mail',
  emailChangeAllowLead:
    'Le remplacement de l’adresse e-mail de votre compte, {email}, par {address} a été demandé. Approuvez-le à l’aide du lien ci-dessous, et confirmez la nouvelle adresse à l’aide du lien que nous lui avons envoyé. Chaque lien expire au bout de 30 minutes et fonctionne une seule fois.',
  emailChangeAllowAction: 'Approuver la modification',
  emailChangeNotAsked:
    'Si ce n’était pas vous, n’approuvez pas la demande et modifiez votre mot de passe. Rien n’a encore été modifié.',
  emailChanged: 'Votre adresse e-mail a été modifiée',
  emailChangedFor: 'Votre adresse e-mail pour {system} a été modifiée',
  emailLeft: 'L’adresse e-mail de votre compte, {email}, a été remplacée par {address}.',
  emailLeftByAdministrator:
    'Un administrateur a remplacé l’adresse e-mail de votre compte, {email}, par {address}.',
  emailTaken: 'L’adresse e-mail de votre compte est désormais {email}.',
  emailTakenByAdministrator: 'Un administrateur a remplacé l’adresse e-mail de votre compte par {email}.',

  invited: 'Vous êtes invité à rejoindre {account}',
  invitedFor: 'Vous êtes invité à rejoindre {account} dans {system}',
  invitation: '{inviter} vous invite à rejoindre {account}',
  invitationFor: '{inviter} vous invite à rejoindre {account} dans {system}',
  invitationLead: 'Vous pouvez rejoindre {account} dans {system} avec l’adresse {email}.',
  invitationWords: '{inviter} écrit :',
  invitationAction: 'Ouvrir l’invitation',
  invitationExpiry: 'L’invitation expire le {expiry}.',
  invitationNotExpected:
    'Si vous ne connaissez pas l’expéditeur, ignorez cet e-mail ou refusez l’invitation sur la page du lien. Ne transférez pas le lien.',

  test: 'E-mail de test de {name}',
  testLead:
    'Cet e-mail a été envoyé à {email} depuis la console de {name} : son serveur de messagerie fonctionne.',
  testIgnore: 'Si vous ne l’attendiez pas, ignorez cet e-mail. Rien n’a été modifié.',
}
