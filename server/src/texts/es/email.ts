import type { Catalog } from '../en.ts'

export const email: Catalog['email'] = {
  time: 'Fecha y hora',
  ipAddress: 'Dirección IP',
  notYou: 'Si no fuiste tú, cambia tu contraseña de inmediato y avisa al administrador.',
  notExpected: 'Si no esperabas este cambio, avisa al administrador de inmediato.',
  ignore: 'Si fuiste tú, no tienes que hacer nada.',

  passwordChanged: 'Tu contraseña se cambió',
  passwordChangedFor: 'Tu contraseña de {system} se cambió',
  byAdministrator:
    'Un administrador cambió la contraseña de tu cuenta {email}. Se cerró tu sesión en todos los dispositivos.',
  byLink:
    'La contraseña de tu cuenta {email} se cambió con un enlace enviado a esta dirección. Se cerró tu sesión en todos los dispositivos.',
  atSignIn:
    'La contraseña de tu cuenta {email} se cambió durante un inicio de sesión. Se cerró tu sesión en los demás dispositivos.',
  inAccountSettings:
    'La contraseña de tu cuenta {email} se cambió en la configuración de la cuenta. Se cerró tu sesión en los demás dispositivos.',
  passwordReset: 'Tu contraseña se restableció',
  passwordResetFor: 'Tu contraseña de {system} se restableció',
  resetByAdministrator:
    'Un administrador restableció la contraseña de tu cuenta {email}. Se cerró tu sesión en todos los dispositivos. Pide al administrador tu contraseña temporal; después de iniciar sesión con ella, eliges una nueva.',

  resetLink: 'Elige una contraseña nueva',
  resetLinkFor: 'Elige una contraseña nueva para {system}',
  resetLinkLead:
    'Se solicitó una contraseña nueva para tu cuenta {email}. Elígela con el enlace de abajo. El enlace caduca en 30 minutos y funciona una vez.',
  resetLinkAction: 'Elegir contraseña nueva',
  resetLinkNotAsked: 'Si no lo solicitaste, ignora este correo. Tu contraseña no cambia.',

  verification: 'Verifica tu correo electrónico',
  verificationFor: 'Verifica tu correo electrónico para {system}',
  verificationLead:
    'Verifica que {email} es tu correo electrónico. El enlace de abajo caduca en 24 horas y funciona una vez.',
  verificationAction: 'Verificar correo electrónico',
  verificationNotAsked: 'Si no lo solicitaste, ignora este correo.',
  registration: 'Crea tu cuenta',
  registrationFor: 'Crea tu cuenta para {system}',
  registrationLead:
    'Para crear una cuenta para {system} con el correo {email}, escribe este código en la página donde te registraste. Funciona una vez.',
  registrationLinkLead:
    'Si esa página ya no está abierta, usa el enlace de abajo y elige una contraseña. El enlace caduca en 24 horas y funciona una vez.',
  registrationAction: 'Crear cuenta',
  registrationNotAsked:
    'Si no te registraste, ignora este correo y no compartas el código. No se crea ninguna cuenta.',
  accountExists: 'Ya tienes una cuenta',
  accountExistsFor: 'Ya tienes una cuenta para {system}',
  accountExistsLead:
    'Alguien intentó crear una cuenta para {system} con el correo {email}, pero ya tienes una cuenta: inicia sesión con su contraseña. Si la olvidaste, elige una nueva con el enlace de abajo. El enlace caduca en 30 minutos y funciona una vez.',
  accountExistsNotAsked: 'Si no fuiste tú, ignora este correo. No se cambió nada.',

  mfaRemoved: 'La verificación en dos pasos se quitó',
  mfaRemovedFor: 'La verificación en dos pasos de {system} se quitó',
  mfaRemovedLead:
    'Un administrador quitó la aplicación de autenticación, las llaves de acceso y los códigos de recuperación de tu cuenta {email}. Se cerró tu sesión en todos los dispositivos.',
  totpAdded: 'Se agregó una aplicación de autenticación',
  totpAddedFor: 'Se agregó una aplicación de autenticación para {system}',
  totpAddedLead:
    'Se agregó una aplicación de autenticación a tu cuenta {email}. A partir de ahora, se necesita un código de la aplicación para iniciar sesión.',
  passkeyAdded: 'Se agregó una llave de acceso',
  passkeyAddedFor: 'Se agregó una llave de acceso para {system}',
  passkeyAddedLead:
    'Se agregó una llave de acceso a tu cuenta {email}. Con ella se inicia sesión sin contraseña.',
  totpRemoved: 'Se quitó tu aplicación de autenticación',
  totpRemovedFor: 'Se quitó tu aplicación de autenticación de {system}',
  totpRemovedLead: 'Se quitó la aplicación de autenticación de tu cuenta {email}.',
  passkeyRemoved: 'Se quitó una llave de acceso',
  passkeyRemovedFor: 'Se quitó una llave de acceso de {system}',
  passkeyRemovedLead: 'Se quitó una llave de acceso de tu cuenta {email}.',
  totpRemovedByAdministrator:
    'Un administrador quitó la aplicación de autenticación de tu cuenta {email}. Se cerró tu sesión en todos los dispositivos.',
  passkeyRemovedByAdministrator:
    'Un administrador quitó una llave de acceso de tu cuenta {email}. Se cerró tu sesión en todos los dispositivos.',
  recoveryCodesRenewed: 'Se crearon códigos de recuperación nuevos',
  recoveryCodesRenewedFor: 'Se crearon códigos de recuperación nuevos de {system}',
  recoveryCodesRenewedLead:
    'Se crearon códigos de recuperación nuevos en la configuración de tu cuenta {email}. Los códigos anteriores ya no funcionan.',
  recoveryCodeUsed: 'Se usó un código de recuperación',
  recoveryCodeUsedFor: 'Se usó un código de recuperación para iniciar sesión en {system}',
  recoveryCodeUsedLead:
    'Se usó un código de recuperación para iniciar sesión en tu cuenta {email}. Códigos de recuperación restantes: {left}.',

  identityAdded: 'Se agregó un método de inicio de sesión',
  identityAddedFor: 'Se agregó un método de inicio de sesión de {system}',
  identityAddedLead:
    'Se conectó una cuenta de {provider} a tu cuenta {email}. Se puede usar para iniciar sesión.',
  identityRemoved: 'Se quitó un método de inicio de sesión',
  identityRemovedFor: 'Se quitó un método de inicio de sesión de {system}',
  identityRemovedLead: 'Un administrador desconectó {provider} de tu cuenta {email}.',
  identityUnlinkedLead: '{provider} se desconectó de tu cuenta {email} en la configuración de la cuenta.',

  mailedCode: 'Tu código de inicio de sesión',
  mailedCodeFor: 'Tu código de inicio de sesión de {system}',
  mailedCodeLead:
    'Escribe este código para iniciar sesión en tu cuenta {email}. El código caduca en 10 minutos y funciona una vez.',
  mailedCodeNotAsked:
    'Si no estás iniciando sesión, no compartas este código con nadie y cambia tu contraseña.',
  signedIn: 'Nuevo inicio de sesión en tu cuenta',
  signedInFor: 'Nuevo inicio de sesión en {system}',
  signedInLead: 'Tu cuenta {email} se usó para iniciar sesión desde un navegador o una red que no conocemos.',

  emailChange: 'Confirma tu nuevo correo electrónico',
  emailChangeLead:
    'Un usuario solicitó cambiar el correo electrónico de su cuenta a {email}. Si fuiste tú, confírmalo con el enlace de abajo. El enlace caduca en 30 minutos y funciona una vez.',
  emailChangeAction: 'Confirmar correo electrónico',
  emailChangeAllow: 'Aprueba el cambio de tu correo electrónico',
  emailChangeAllowLead:
    'Se solicitó cambiar el correo electrónico de tu cuenta de {email} a {address}. Apruébalo con el enlace de abajo y confirma el correo nuevo con el enlace que enviamos a esa dirección. Cada enlace caduca en 30 minutos y funciona una vez.',
  emailChangeAllowAction: 'Aprobar cambio',
  emailChangeNotAsked: 'Si no fuiste tú, no lo apruebes y cambia tu contraseña. Todavía no se cambió nada.',
  emailChanged: 'Tu correo electrónico se cambió',
  emailChangedFor: 'Tu correo electrónico de {system} se cambió',
  emailLeft: 'El correo electrónico de tu cuenta se cambió de {email} a {address}.',
  emailLeftByAdministrator:
    'Un administrador cambió el correo electrónico de tu cuenta de {email} a {address}.',
  emailTaken: 'El correo electrónico de tu cuenta ahora es {email}.',
  emailTakenByAdministrator: 'Un administrador cambió el correo electrónico de tu cuenta a {email}.',

  invited: 'Tienes una invitación a {account}',
  invitedFor: 'Tienes una invitación a {account} en {system}',
  invitation: '{inviter} te invita a {account}',
  invitationFor: '{inviter} te invita a {account} en {system}',
  invitationLead: 'Puedes unirte a {account} en {system} con la dirección {email}.',
  invitationWords: '{inviter} escribe:',
  invitationAction: 'Abrir la invitación',
  invitationExpiry: 'La invitación caduca el {expiry}.',
  invitationNotExpected:
    'Si no conoces al remitente, ignora este correo o rechaza la invitación en la página del enlace. No reenvíes el enlace.',

  test: 'Correo de prueba de {name}',
  testLead: 'Este correo se envió a {email} desde la consola de {name}: su servidor de correo funciona.',
  testIgnore: 'Si no lo esperabas, ignora este correo. No se cambió nada.',
}
