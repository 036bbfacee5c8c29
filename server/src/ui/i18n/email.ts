/** The words of the letters. */

/** A subject has a second form, `…For`, that names the system for which an administrator acts. */
export const en = {
  passwordChanged: 'Your password was changed',
  passwordChangedFor: 'Your password for {system} was changed',
  byAdministrator:
    'An administrator has changed the password of {email}, and you have been signed out everywhere.',
  byLink:
    'The password of {email} was changed by a link that was sent to this address, and you have been signed out everywhere.',
  atSignIn:
    'The password of {email} was changed when you signed in. You have been signed out everywhere else.',
  onOwnPages:
    'The password of {email} was changed on your own pages. You have been signed out everywhere else.',
  passwordReset: 'Your password was reset',
  passwordResetFor: 'Your password for {system} was reset',
  resetByAdministrator:
    'An administrator has reset the password of {email}, and you have been signed out everywhere. They have a temporary password for you; when you sign in with it, you choose a new one.',
  notExpected: 'If you did not expect this, please tell your administrator at once.',
  resetLink: 'Choose a new password',
  resetLinkFor: 'Choose a new password for {system}',
  resetLinkLead: 'With this link you choose a new password for {email}. It is good for 30 minutes, and once.',
  resetLinkAction: 'Choose a new password',
  resetLinkNotAsked: 'If you did not ask for it, leave it alone: your password stays as it is.',
  verification: 'Confirm your e-mail address',
  verificationFor: 'Confirm your e-mail address for {system}',
  verificationLead:
    'With this link you confirm that {email} is your address. It is good for 24 hours, and once.',
  verificationAction: 'Confirm the address',
  verificationNotAsked:
    'If you do not know what this is about, leave it alone: somebody mistyped their own address.',
  registrationLead:
    'An account for {system} was created with {email}. Confirm it with this link. It is good for 24 hours, and once.',
  registrationAction: 'Confirm the account',
  registrationNotAsked:
    'If you did not create it, do not confirm it: whoever did could then use it in your name.',
  accountExists: 'You already have an account',
  accountExistsFor: 'You already have an account for {system}',
  accountExistsLead:
    'Somebody wanted to create an account for {system} with {email}, and you have one: sign in with its password. If you have forgotten it, choose a new one with this link. It is good for 30 minutes, and once.',
  accountExistsNotAsked: 'If that was not you, leave it alone: nothing has changed.',
  mfaRemoved: 'Your second step was removed',
  mfaRemovedFor: 'Your second step for {system} was removed',
  mfaRemovedLead:
    'An administrator has removed the authenticator apps, passkeys and recovery codes of {email}, and you have been signed out everywhere.',
  identityAdded: 'A way to sign in was added',
  identityAddedFor: 'A way to sign in to {system} was added',
  identityAddedLead: '{email} can be signed in with {provider} from now on.',
  identityRemoved: 'A way to sign in was removed',
  identityRemovedFor: 'A way to sign in to {system} was removed',
  identityRemovedLead: 'An administrator has removed the sign-in with {provider} from {email}.',
  mailedCode: 'Your code to sign in',
  mailedCodeFor: 'Your code to sign in to {system}',
  mailedCodeLead:
    'To sign in as {email}, type this code where you have begun. It is good for 10 minutes, and once.',
  mailedCodeNotAsked: 'If that is not you, give the code to nobody and change your password.',
  totpAdded: 'An authenticator app was added',
  totpAddedFor: 'An authenticator app was added for {system}',
  totpAddedLead: 'Whoever signs in as {email} is now asked for a code of this app.',
  passkeyAdded: 'A passkey was added',
  passkeyAddedFor: 'A passkey was added for {system}',
  passkeyAddedLead: 'A passkey was added to {email}. It opens the account without a password.',
  totpRemoved: 'Your authenticator app was removed',
  totpRemovedFor: 'Your authenticator app for {system} was removed',
  totpRemovedLead: 'The authenticator app of {email} was removed.',
  passkeyRemoved: 'A passkey was removed',
  passkeyRemovedFor: 'A passkey for {system} was removed',
  passkeyRemovedLead: 'A passkey of {email} was removed.',
  signedIn: 'A sign-in from a new place',
  signedInFor: 'A sign-in to {system} from a new place',
  signedInLead:
    'Somebody signed in as {email} with a browser that is new there, from the address {ip}. If that was you, leave it alone.',
  recoveryCodesRenewed: 'New recovery codes were made',
  recoveryCodesRenewedFor: 'New recovery codes were made for {system}',
  recoveryCodesRenewedLead:
    'The recovery codes you had are no longer good; new ones were shown on your own pages.',
  recoveryCodeUsed: 'A recovery code was used',
  recoveryCodeUsedFor: 'A recovery code was used to sign in to {system}',
  recoveryCodeUsedLead:
    'Somebody signed in as {email} with a recovery code, in the place of the second step. Codes that are left: {left}.',
  emailChange: 'Confirm your new e-mail address',
  emailChangeLead:
    'Somebody wants to use {email} as the address of their account. If that is you, confirm it with this link. It is good for 30 minutes, and once.',
  emailChangeAction: 'Confirm the address',
  emailChangeAllow: 'Do you want another e-mail address?',
  emailChangeAllowLead:
    'Your account is to have the address {address} in the place of {email}. Allow it with this link, and confirm the other address with the one that was mailed there. Each is good for 30 minutes, and once.',
  emailChangeAllowAction: 'Allow the change',
  emailChangeNotAsked:
    'If that was not you, leave it alone and change your password: nothing has changed yet.',
  emailChanged: 'Your e-mail address was changed',
  emailChangedFor: 'Your e-mail address for {system} was changed',
  emailLeft: 'Your account no longer has the address {email}; it has {address} now.',
  emailLeftByAdministrator:
    'An administrator has changed the address of your account: it no longer has {email}; it has {address} now.',
  emailTaken: '{email} is the address of your account now.',
  emailTakenByAdministrator: 'An administrator has made {email} the address of your account.',
  identityUnlinkedLead: 'You have removed the sign-in with {provider} from {email}.',
  notYou: 'If that was not you, change your password at once and tell your administrator.',
}
export type Texts = typeof en

export const pt: Texts = {
  passwordChanged: 'Sua senha foi alterada',
  passwordChangedFor: 'Sua senha de {system} foi alterada',
  byAdministrator: 'Um administrador alterou a senha de {email}, e todas as suas sessões foram encerradas.',
  byLink:
    'A senha de {email} foi alterada por um link enviado a este endereço, e todas as suas sessões foram encerradas.',
  atSignIn:
    'A senha de {email} foi alterada quando você entrou. Todas as suas outras sessões foram encerradas.',
  onOwnPages:
    'A senha de {email} foi alterada nas suas próprias páginas. Você saiu de todos os outros lugares.',
  passwordReset: 'Sua senha foi redefinida',
  passwordResetFor: 'Sua senha de {system} foi redefinida',
  resetByAdministrator:
    'Um administrador redefiniu a senha de {email}, e todas as suas sessões foram encerradas. Ele tem uma senha temporária para você; ao entrar com ela, você escolhe uma nova.',
  notExpected: 'Se você não esperava por isso, avise o seu administrador imediatamente.',
  resetLink: 'Escolha uma nova senha',
  resetLinkFor: 'Escolha uma nova senha para {system}',
  resetLinkLead:
    'Com este link você escolhe uma nova senha para {email}. Ele vale por 30 minutos e uma única vez.',
  resetLinkAction: 'Escolher uma nova senha',
  resetLinkNotAsked: 'Se você não pediu isso, ignore esta mensagem: sua senha continua a mesma.',
  verification: 'Confirme seu e-mail',
  verificationFor: 'Confirme seu e-mail para {system}',
  verificationLead:
    'Com este link você confirma que {email} é o seu endereço. Ele vale por 24 horas e uma única vez.',
  verificationAction: 'Confirmar o endereço',
  verificationNotAsked:
    'Se você não sabe do que se trata, ignore esta mensagem: alguém digitou o próprio endereço errado.',
  registrationLead:
    'Uma conta para {system} foi criada com {email}. Confirme a conta com este link. Ele vale por 24 horas e uma única vez.',
  registrationAction: 'Confirmar a conta',
  registrationNotAsked:
    'Se não foi você quem a criou, não confirme: quem a criou poderia usá-la em seu nome.',
  accountExists: 'Você já tem uma conta',
  accountExistsFor: 'Você já tem uma conta para {system}',
  accountExistsLead:
    'Alguém quis criar uma conta para {system} com {email}, e você já tem uma: entre com a senha dela. Se você a esqueceu, escolha uma nova com este link. Ele vale por 30 minutos e uma única vez.',
  accountExistsNotAsked: 'Se não foi você, ignore esta mensagem: nada mudou.',
  mfaRemoved: 'Sua segunda etapa foi removida',
  mfaRemovedFor: 'Sua segunda etapa de {system} foi removida',
  mfaRemovedLead:
    'Um administrador removeu os aplicativos autenticadores, as chaves de acesso e os códigos de recuperação de {email}, e todas as suas sessões foram encerradas.',
  identityAdded: 'Uma forma de entrar foi adicionada',
  identityAddedFor: 'Uma forma de entrar em {system} foi adicionada',
  identityAddedLead: 'A partir de agora, também se entra como {email} por {provider}.',
  identityRemoved: 'Uma forma de entrar foi removida',
  identityRemovedFor: 'Uma forma de entrar em {system} foi removida',
  identityRemovedLead: 'Um administrador removeu o acesso de {email} por {provider}.',
  mailedCode: 'Seu código para entrar',
  mailedCodeFor: 'Seu código para entrar em {system}',
  mailedCodeLead:
    'Para entrar como {email}, digite este código onde você começou. Ele vale por 10 minutos e uma única vez.',
  mailedCodeNotAsked: 'Se não é você, não passe o código a ninguém e troque a sua senha.',
  totpAdded: 'Um aplicativo autenticador foi adicionado',
  totpAddedFor: 'Um aplicativo autenticador foi adicionado para {system}',
  totpAddedLead: 'Quem entra como {email} agora precisa de um código desse aplicativo.',
  passkeyAdded: 'Uma chave de acesso foi adicionada',
  passkeyAddedFor: 'Uma chave de acesso foi adicionada para {system}',
  passkeyAddedLead: 'Uma chave de acesso foi adicionada a {email}. Ela abre a conta sem senha.',
  totpRemoved: 'Seu aplicativo autenticador foi removido',
  totpRemovedFor: 'Seu aplicativo autenticador de {system} foi removido',
  totpRemovedLead: 'O aplicativo autenticador de {email} foi removido.',
  passkeyRemoved: 'Uma chave de acesso foi removida',
  passkeyRemovedFor: 'Uma chave de acesso de {system} foi removida',
  passkeyRemovedLead: 'Uma chave de acesso de {email} foi removida.',
  signedIn: 'Um acesso de um lugar novo',
  signedInFor: 'Um acesso a {system} de um lugar novo',
  signedInLead:
    'Alguém entrou como {email} com um navegador novo ali, do endereço {ip}. Se foi você, não faça nada.',
  recoveryCodesRenewed: 'Foram criados novos códigos de recuperação',
  recoveryCodesRenewedFor: 'Foram criados novos códigos de recuperação para {system}',
  recoveryCodesRenewedLead:
    'Os códigos de recuperação que tinha deixaram de ser válidos; os novos foram mostrados nas suas páginas.',
  recoveryCodeUsed: 'Um código de recuperação foi usado',
  recoveryCodeUsedFor: 'Um código de recuperação foi usado para entrar em {system}',
  recoveryCodeUsedLead:
    'Alguém entrou como {email} com um código de recuperação, no lugar da segunda etapa. Códigos que restam: {left}.',
  emailChange: 'Confirme seu novo e-mail',
  emailChangeLead:
    'Alguém quer usar {email} como o endereço da própria conta. Se é você, confirme com este link. Ele vale por 30 minutos e uma única vez.',
  emailChangeAction: 'Confirmar o endereço',
  emailChangeAllow: 'Você quer outro e-mail?',
  emailChangeAllowLead:
    'Sua conta deve passar a ter o endereço {address} no lugar de {email}. Permita com este link e confirme o outro endereço com o link enviado para lá. Cada um vale por 30 minutos e uma única vez.',
  emailChangeAllowAction: 'Permitir a alteração',
  emailChangeNotAsked: 'Se não foi você, ignore esta mensagem e troque a sua senha: nada mudou ainda.',
  emailChanged: 'Seu e-mail foi alterado',
  emailChangedFor: 'Seu e-mail de {system} foi alterado',
  emailLeft: 'Sua conta não tem mais o endereço {email}; agora tem {address}.',
  emailLeftByAdministrator:
    'Um administrador alterou o endereço da sua conta: ela não tem mais {email}; agora tem {address}.',
  emailTaken: '{email} agora é o endereço da sua conta.',
  emailTakenByAdministrator: 'Um administrador fez de {email} o endereço da sua conta.',
  identityUnlinkedLead: 'Você removeu o acesso de {email} por {provider}.',
  notYou: 'Se não foi você, troque a sua senha imediatamente e avise o seu administrador.',
}

export const es: Texts = {
  passwordChanged: 'Se ha cambiado tu contraseña',
  passwordChangedFor: 'Se ha cambiado tu contraseña de {system}',
  byAdministrator:
    'Un administrador ha cambiado la contraseña de {email} y se han cerrado todas tus sesiones.',
  byLink:
    'La contraseña de {email} se ha cambiado con un enlace enviado a esta dirección y se han cerrado todas tus sesiones.',
  atSignIn:
    'La contraseña de {email} se ha cambiado al iniciar sesión. Se han cerrado todas tus demás sesiones.',
  onOwnPages:
    'La contraseña de {email} se ha cambiado en tus propias páginas. Se ha cerrado tu sesión en los demás lugares.',
  passwordReset: 'Se ha restablecido tu contraseña',
  passwordResetFor: 'Se ha restablecido tu contraseña de {system}',
  resetByAdministrator:
    'Un administrador ha restablecido la contraseña de {email} y se han cerrado todas tus sesiones. Tiene una contraseña temporal para ti; al entrar con ella, eliges una nueva.',
  notExpected: 'Si no lo esperabas, avisa a tu administrador de inmediato.',
  resetLink: 'Elige una contraseña nueva',
  resetLinkFor: 'Elige una contraseña nueva para {system}',
  resetLinkLead:
    'Con este enlace eliges una contraseña nueva para {email}. Vale durante 30 minutos y una sola vez.',
  resetLinkAction: 'Elegir una contraseña nueva',
  resetLinkNotAsked: 'Si no lo has pedido, no hagas nada: tu contraseña sigue siendo la misma.',
  verification: 'Confirma tu correo electrónico',
  verificationFor: 'Confirma tu correo electrónico para {system}',
  verificationLead:
    'Con este enlace confirmas que {email} es tu dirección. Vale durante 24 horas y una sola vez.',
  verificationAction: 'Confirmar la dirección',
  verificationNotAsked:
    'Si no sabes de qué se trata, no hagas nada: alguien se equivocó al escribir su propia dirección.',
  registrationLead:
    'Se ha creado una cuenta para {system} con {email}. Confírmala con este enlace. Vale durante 24 horas y una sola vez.',
  registrationAction: 'Confirmar la cuenta',
  registrationNotAsked: 'Si no la has creado tú, no la confirmes: quien la creó podría usarla en tu nombre.',
  accountExists: 'Ya tienes una cuenta',
  accountExistsFor: 'Ya tienes una cuenta para {system}',
  accountExistsLead:
    'Alguien ha querido crear una cuenta para {system} con {email}, y ya tienes una: entra con su contraseña. Si la has olvidado, elige una nueva con este enlace. Vale durante 30 minutos y una sola vez.',
  accountExistsNotAsked: 'Si no has sido tú, no hagas nada: no ha cambiado nada.',
  mfaRemoved: 'Se ha quitado tu segundo paso',
  mfaRemovedFor: 'Se ha quitado tu segundo paso de {system}',
  mfaRemovedLead:
    'Un administrador ha quitado las aplicaciones de autenticación, las llaves de acceso y los códigos de recuperación de {email}, y se han cerrado todas tus sesiones.',
  identityAdded: 'Se ha añadido una forma de entrar',
  identityAddedFor: 'Se ha añadido una forma de entrar en {system}',
  identityAddedLead: 'Desde ahora también se entra como {email} con {provider}.',
  identityRemoved: 'Se ha quitado una forma de entrar',
  identityRemovedFor: 'Se ha quitado una forma de entrar en {system}',
  identityRemovedLead: 'Un administrador ha quitado el acceso de {email} con {provider}.',
  mailedCode: 'Tu código para entrar',
  mailedCodeFor: 'Tu código para entrar en {system}',
  mailedCodeLead:
    'Para entrar como {email}, escribe este código donde has empezado. Vale durante 10 minutos y una sola vez.',
  mailedCodeNotAsked: 'Si no eres tú, no des el código a nadie y cambia tu contraseña.',
  totpAdded: 'Se ha añadido una aplicación de autenticación',
  totpAddedFor: 'Se ha añadido una aplicación de autenticación para {system}',
  totpAddedLead: 'A quien entra como {email} se le pide ahora un código de esa aplicación.',
  passkeyAdded: 'Se ha añadido una llave de acceso',
  passkeyAddedFor: 'Se ha añadido una llave de acceso para {system}',
  passkeyAddedLead: 'Se ha añadido una llave de acceso a {email}. Abre la cuenta sin contraseña.',
  totpRemoved: 'Se ha quitado tu aplicación de autenticación',
  totpRemovedFor: 'Se ha quitado tu aplicación de autenticación de {system}',
  totpRemovedLead: 'Se ha quitado la aplicación de autenticación de {email}.',
  passkeyRemoved: 'Se ha quitado una llave de acceso',
  passkeyRemovedFor: 'Se ha quitado una llave de acceso de {system}',
  passkeyRemovedLead: 'Se ha quitado una llave de acceso de {email}.',
  signedIn: 'Un acceso desde un lugar nuevo',
  signedInFor: 'Un acceso a {system} desde un lugar nuevo',
  signedInLead:
    'Alguien ha entrado como {email} con un navegador nuevo allí, desde la dirección {ip}. Si has sido tú, no hagas nada.',
  recoveryCodesRenewed: 'Se han creado códigos de recuperación nuevos',
  recoveryCodesRenewedFor: 'Se han creado códigos de recuperación nuevos para {system}',
  recoveryCodesRenewedLead:
    'Los códigos de recuperación que tenías ya no sirven; los nuevos se han mostrado en tus páginas.',
  recoveryCodeUsed: 'Se ha usado un código de recuperación',
  recoveryCodeUsedFor: 'Se ha usado un código de recuperación para entrar en {system}',
  recoveryCodeUsedLead:
    'Alguien ha entrado como {email} con un código de recuperación, en lugar del segundo paso. Códigos que quedan: {left}.',
  emailChange: 'Confirma tu nuevo correo electrónico',
  emailChangeLead:
    'Alguien quiere usar {email} como la dirección de su cuenta. Si eres tú, confírmala con este enlace. Vale durante 30 minutos y una sola vez.',
  emailChangeAction: 'Confirmar la dirección',
  emailChangeAllow: '¿Quieres otro correo electrónico?',
  emailChangeAllowLead:
    'Tu cuenta va a tener la dirección {address} en lugar de {email}. Permítelo con este enlace y confirma la otra dirección con el que se ha enviado allí. Cada uno vale durante 30 minutos y una sola vez.',
  emailChangeAllowAction: 'Permitir el cambio',
  emailChangeNotAsked:
    'Si no has sido tú, no hagas nada y cambia tu contraseña: todavía no ha cambiado nada.',
  emailChanged: 'Se ha cambiado tu correo electrónico',
  emailChangedFor: 'Se ha cambiado tu correo electrónico de {system}',
  emailLeft: 'Tu cuenta ya no tiene la dirección {email}; ahora tiene {address}.',
  emailLeftByAdministrator:
    'Un administrador ha cambiado la dirección de tu cuenta: ya no tiene {email}; ahora tiene {address}.',
  emailTaken: '{email} es ahora la dirección de tu cuenta.',
  emailTakenByAdministrator: 'Un administrador ha hecho de {email} la dirección de tu cuenta.',
  identityUnlinkedLead: 'Has quitado el acceso de {email} con {provider}.',
  notYou: 'Si no has sido tú, cambia tu contraseña de inmediato y avisa a tu administrador.',
}
