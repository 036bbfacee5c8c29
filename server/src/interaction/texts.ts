/** What the pages say, in every language. A text with {braces} is completed by `fill` in pages/html.ts. */

const en = {
  theApplication: 'the application',

  signInTitle: 'Sign in',
  signInTo: 'Sign in to {system}',
  email: 'E-mail address',
  password: 'Password',
  signIn: 'Sign in',

  errorPrefix: 'Error',
  checkFields: 'Please correct: {fields}',
  emailMissing: 'Enter your e-mail address.',
  emailInvalid: 'Enter an e-mail address such as name@example.com.',
  passwordMissing: 'Enter your password.',
  wrongCredentials: 'The e-mail address or the password is wrong.',
  tooManyAttempts: 'Too many attempts. Try again in {seconds} seconds.',
  formExpired: 'This page was open for too long. Please try again.',

  accountTitle: 'Choose an account',
  accountLead: 'You continue to {system} with the account you choose.',
  accountPersonal: 'Personal account',
  accountOrganization: 'Organization',
  accountMissing: 'Choose one of your accounts.',
  continue: 'Continue',

  consentTitle: 'Allow access for {system}?',
  consentLead: 'With your permission, {system} can:',
  signedInAs: 'You are signed in as',
  consentReturn: 'Afterwards you return to {host}.',
  scopeOpenid: 'Recognize you',
  scopeOpenidDetail: 'Your user ID and your roles in this account',
  scopeEmail: 'See your e-mail address',
  scopeProfile: 'See your profile',
  scopeProfileDetail: 'Your name and your language',
  scopeOffline: 'Stay connected',
  scopeOfflineDetail: 'Keep this access while you are away, until you sign out or it is withdrawn',
  scopeOther: 'Use the permission {scope}',
  allow: 'Allow',
  deny: 'Deny',

  logoutTitle: 'Sign out?',
  logoutTitleOf: 'Sign out of {system}?',
  logoutLead: 'In this browser you will be signed out of every application that you signed in to here.',
  signOut: 'Sign out',
  staySignedIn: 'Stay signed in',

  signedOutTitle: 'You are signed out',
  signedOutLead: 'You can close this page now.',
  stayedTitle: 'You are still signed in',
  stayedLead: 'Nothing has changed. You can close this page now.',

  deviceTitle: 'Connect a device',
  deviceLead: 'Enter the code that your device shows.',
  deviceCode: 'Code',
  deviceCodeMissing: 'Enter the code.',
  deviceCodeWrong: 'There is no such code. Compare it with your device.',
  deviceCodeExpired: 'This code has expired. Start again on your device.',
  deviceCodeUsed: 'This code was used already. Start again on your device.',
  deviceConfirmTitle: 'Sign in to {system} on your device?',
  deviceConfirmLead: 'Continue only if your device shows this code:',
  deviceConfirmWarning: 'Did somebody send you the code? Then cancel: that device would be signed in as you.',
  cancel: 'Cancel',
  deviceDoneTitle: 'Your device is connected',
  deviceDoneLead: 'Go on with {system} there. You can close this page now.',
  deviceStoppedTitle: 'Your device was not connected',
  deviceStoppedLead: 'Nobody was signed in on it. You can close this page now.',

  pendingTitle: 'Waiting for activation',
  pendingLead: 'An administrator still has to activate your access to {system}. Sign in again once that is done.',
  blockedTitle: 'Your access is blocked',
  blockedLead: 'An administrator has blocked your access to {system}. Please ask them if you think that this is a mistake.',
  noAccessTitle: 'You have no access',
  noAccessLead: 'You are signed in, but you are not a member of {system}. Ask an administrator to add you.',
  returnTo: 'Return to {system}',

  requestTitle: 'This sign-in can’t start',
  requestLead: 'The application sent a request that we can’t accept. You did nothing wrong.',
  requestParameter: 'The part at fault is {parameter}.',
  requestNext: 'Return to the application and start again. If it happens again, send the details below to its support.',
  expiredTitle: 'This sign-in has expired',
  expiredLead: 'It was open for too long, or it was finished already.',
  expiredNext: 'Return to the application and sign in again.',
  deniedTitle: 'Access denied',
  deniedLead: 'You were not let in to {system}.',
  deniedNext: 'Return to the application, or ask its administrator for access.',
  formTitle: 'The form was not accepted',
  formLead: 'It was open for too long, or it was not sent from our own page.',
  formNext: 'Return to the application and sign in again.',
  notFoundTitle: 'Page not found',
  notFoundLead: 'There is nothing at this address.',
  notFoundNext: 'Check the address, or return to the application you came from.',
  busyTitle: 'Too many attempts',
  busyLead: 'For your safety we slow down after many attempts.',
  busyNext: 'Wait a few minutes, then try again.',
  troubleTitle: 'Something went wrong',
  troubleLead: 'The fault is on our side, and we have a record of it.',
  troubleNext: 'Try again in a moment. If it happens again, send the details below to support.',

  details: 'Details',
  detailCode: 'Error',
  detailParameter: 'Parameter',
  detailDescription: 'Description',
  detailRequest: 'Request ID',
}

export type Texts = { readonly [Key in keyof typeof en]: string }

const pt: Texts = {
  theApplication: 'o aplicativo',

  signInTitle: 'Entrar',
  signInTo: 'Entrar em {system}',
  email: 'E-mail',
  password: 'Senha',
  signIn: 'Entrar',

  errorPrefix: 'Erro',
  checkFields: 'Corrija: {fields}',
  emailMissing: 'Informe seu e-mail.',
  emailInvalid: 'Informe um e-mail como nome@example.com.',
  passwordMissing: 'Informe sua senha.',
  wrongCredentials: 'O e-mail ou a senha está incorreto.',
  tooManyAttempts: 'Muitas tentativas. Tente novamente em {seconds} segundos.',
  formExpired: 'Esta página ficou aberta por muito tempo. Tente novamente.',

  accountTitle: 'Escolha uma conta',
  accountLead: 'Você continuará em {system} com a conta escolhida.',
  accountPersonal: 'Conta pessoal',
  accountOrganization: 'Organização',
  accountMissing: 'Escolha uma das suas contas.',
  continue: 'Continuar',

  consentTitle: 'Permitir o acesso de {system}?',
  consentLead: 'Com a sua permissão, {system} poderá:',
  signedInAs: 'Você entrou como',
  consentReturn: 'Depois você voltará para {host}.',
  scopeOpenid: 'Reconhecer você',
  scopeOpenidDetail: 'Seu identificador de usuário e suas funções nesta conta',
  scopeEmail: 'Ver seu e-mail',
  scopeProfile: 'Ver seu perfil',
  scopeProfileDetail: 'Seu nome e seu idioma',
  scopeOffline: 'Permanecer conectado',
  scopeOfflineDetail: 'Manter este acesso na sua ausência, até você sair ou o acesso ser retirado',
  scopeOther: 'Usar a permissão {scope}',
  allow: 'Permitir',
  deny: 'Recusar',

  logoutTitle: 'Sair?',
  logoutTitleOf: 'Sair de {system}?',
  logoutLead: 'Neste navegador, você sairá de todos os aplicativos em que entrou por aqui.',
  signOut: 'Sair',
  staySignedIn: 'Continuar conectado',

  signedOutTitle: 'Você saiu',
  signedOutLead: 'Já pode fechar esta página.',
  stayedTitle: 'Você continua conectado',
  stayedLead: 'Nada mudou. Já pode fechar esta página.',

  deviceTitle: 'Conectar um dispositivo',
  deviceLead: 'Informe o código que aparece no seu dispositivo.',
  deviceCode: 'Código',
  deviceCodeMissing: 'Informe o código.',
  deviceCodeWrong: 'Esse código não existe. Compare com o do seu dispositivo.',
  deviceCodeExpired: 'Este código expirou. Comece de novo no seu dispositivo.',
  deviceCodeUsed: 'Este código já foi usado. Comece de novo no seu dispositivo.',
  deviceConfirmTitle: 'Entrar em {system} no seu dispositivo?',
  deviceConfirmLead: 'Continue somente se o seu dispositivo mostrar este código:',
  deviceConfirmWarning: 'Alguém enviou o código a você? Então cancele: aquele dispositivo entraria com a sua identidade.',
  cancel: 'Cancelar',
  deviceDoneTitle: 'Seu dispositivo está conectado',
  deviceDoneLead: 'Continue em {system} por lá. Já pode fechar esta página.',
  deviceStoppedTitle: 'Seu dispositivo não foi conectado',
  deviceStoppedLead: 'Ninguém entrou por ele. Já pode fechar esta página.',

  pendingTitle: 'Aguardando ativação',
  pendingLead: 'Um administrador ainda precisa ativar seu acesso a {system}. Entre novamente quando isso for feito.',
  blockedTitle: 'Seu acesso está bloqueado',
  blockedLead: 'Um administrador bloqueou seu acesso a {system}. Fale com ele se achar que houve um engano.',
  noAccessTitle: 'Você não tem acesso',
  noAccessLead: 'Você entrou, mas não é membro de {system}. Peça a um administrador que adicione você.',
  returnTo: 'Voltar para {system}',

  requestTitle: 'Não foi possível iniciar o acesso',
  requestLead: 'O aplicativo enviou um pedido que não podemos aceitar. Você não fez nada de errado.',
  requestParameter: 'A parte com erro é {parameter}.',
  requestNext: 'Volte ao aplicativo e comece de novo. Se acontecer outra vez, envie os detalhes abaixo ao suporte dele.',
  expiredTitle: 'Este acesso expirou',
  expiredLead: 'Ficou aberto por muito tempo ou já foi concluído.',
  expiredNext: 'Volte ao aplicativo e entre novamente.',
  deniedTitle: 'Acesso negado',
  deniedLead: 'Sua entrada em {system} não foi permitida.',
  deniedNext: 'Volte ao aplicativo ou peça acesso ao administrador dele.',
  formTitle: 'O formulário não foi aceito',
  formLead: 'Ficou aberto por muito tempo ou não foi enviado pela nossa própria página.',
  formNext: 'Volte ao aplicativo e entre novamente.',
  notFoundTitle: 'Página não encontrada',
  notFoundLead: 'Não há nada neste endereço.',
  notFoundNext: 'Verifique o endereço ou volte ao aplicativo de onde veio.',
  busyTitle: 'Muitas tentativas',
  busyLead: 'Para sua segurança, ficamos mais lentos depois de muitas tentativas.',
  busyNext: 'Espere alguns minutos e tente novamente.',
  troubleTitle: 'Algo deu errado',
  troubleLead: 'A falha é nossa e ficou registrada.',
  troubleNext: 'Tente novamente em instantes. Se acontecer outra vez, envie os detalhes abaixo ao suporte.',

  details: 'Detalhes',
  detailCode: 'Erro',
  detailParameter: 'Parâmetro',
  detailDescription: 'Descrição',
  detailRequest: 'ID do pedido',
}

const es: Texts = {
  theApplication: 'la aplicación',

  signInTitle: 'Iniciar sesión',
  signInTo: 'Iniciar sesión en {system}',
  email: 'Correo electrónico',
  password: 'Contraseña',
  signIn: 'Iniciar sesión',

  errorPrefix: 'Error',
  checkFields: 'Corrija: {fields}',
  emailMissing: 'Introduzca su correo electrónico.',
  emailInvalid: 'Introduzca un correo electrónico como nombre@example.com.',
  passwordMissing: 'Introduzca su contraseña.',
  wrongCredentials: 'El correo electrónico o la contraseña no son correctos.',
  tooManyAttempts: 'Demasiados intentos. Vuelva a intentarlo en {seconds} segundos.',
  formExpired: 'Esta página estuvo abierta demasiado tiempo. Vuelva a intentarlo.',

  accountTitle: 'Elija una cuenta',
  accountLead: 'Continuará en {system} con la cuenta que elija.',
  accountPersonal: 'Cuenta personal',
  accountOrganization: 'Organización',
  accountMissing: 'Elija una de sus cuentas.',
  continue: 'Continuar',

  consentTitle: '¿Permitir el acceso de {system}?',
  consentLead: 'Con su permiso, {system} podrá:',
  signedInAs: 'Ha iniciado sesión como',
  consentReturn: 'Después volverá a {host}.',
  scopeOpenid: 'Reconocerle',
  scopeOpenidDetail: 'Su identificador de usuario y sus roles en esta cuenta',
  scopeEmail: 'Ver su correo electrónico',
  scopeProfile: 'Ver su perfil',
  scopeProfileDetail: 'Su nombre y su idioma',
  scopeOffline: 'Mantener la conexión',
  scopeOfflineDetail: 'Conservar este acceso en su ausencia, hasta que cierre la sesión o se retire el acceso',
  scopeOther: 'Usar el permiso {scope}',
  allow: 'Permitir',
  deny: 'Rechazar',

  logoutTitle: '¿Cerrar la sesión?',
  logoutTitleOf: '¿Cerrar la sesión en {system}?',
  logoutLead: 'En este navegador se cerrará la sesión en todas las aplicaciones en las que entró desde aquí.',
  signOut: 'Cerrar la sesión',
  staySignedIn: 'Seguir conectado',

  signedOutTitle: 'La sesión está cerrada',
  signedOutLead: 'Ya puede cerrar esta página.',
  stayedTitle: 'La sesión sigue abierta',
  stayedLead: 'No ha cambiado nada. Ya puede cerrar esta página.',

  deviceTitle: 'Conectar un dispositivo',
  deviceLead: 'Introduzca el código que muestra su dispositivo.',
  deviceCode: 'Código',
  deviceCodeMissing: 'Introduzca el código.',
  deviceCodeWrong: 'Ese código no existe. Compárelo con el de su dispositivo.',
  deviceCodeExpired: 'Este código ha caducado. Empiece de nuevo en su dispositivo.',
  deviceCodeUsed: 'Este código ya se ha usado. Empiece de nuevo en su dispositivo.',
  deviceConfirmTitle: '¿Iniciar sesión en {system} en su dispositivo?',
  deviceConfirmLead: 'Continúe solo si su dispositivo muestra este código:',
  deviceConfirmWarning: '¿Alguien le envió el código? Entonces cancele: ese dispositivo iniciaría sesión en su nombre.',
  cancel: 'Cancelar',
  deviceDoneTitle: 'Su dispositivo está conectado',
  deviceDoneLead: 'Continúe en {system} desde allí. Ya puede cerrar esta página.',
  deviceStoppedTitle: 'Su dispositivo no se ha conectado',
  deviceStoppedLead: 'Nadie ha iniciado sesión en él. Ya puede cerrar esta página.',

  pendingTitle: 'En espera de activación',
  pendingLead: 'Un administrador aún debe activar su acceso a {system}. Vuelva a iniciar sesión cuando lo haya hecho.',
  blockedTitle: 'Su acceso está bloqueado',
  blockedLead: 'Un administrador ha bloqueado su acceso a {system}. Consúltele si cree que es un error.',
  noAccessTitle: 'No tiene acceso',
  noAccessLead: 'Ha iniciado sesión, pero no es miembro de {system}. Pida a un administrador que le añada.',
  returnTo: 'Volver a {system}',

  requestTitle: 'No se puede iniciar la sesión',
  requestLead: 'La aplicación envió una solicitud que no podemos aceptar. Usted no ha hecho nada mal.',
  requestParameter: 'La parte errónea es {parameter}.',
  requestNext: 'Vuelva a la aplicación y empiece de nuevo. Si vuelve a ocurrir, envíe los detalles de abajo a su soporte.',
  expiredTitle: 'Este inicio de sesión ha caducado',
  expiredLead: 'Estuvo abierto demasiado tiempo o ya se había completado.',
  expiredNext: 'Vuelva a la aplicación e inicie sesión de nuevo.',
  deniedTitle: 'Acceso denegado',
  deniedLead: 'No se le ha permitido entrar en {system}.',
  deniedNext: 'Vuelva a la aplicación o pida acceso a su administrador.',
  formTitle: 'No se aceptó el formulario',
  formLead: 'Estuvo abierto demasiado tiempo o no se envió desde nuestra propia página.',
  formNext: 'Vuelva a la aplicación e inicie sesión de nuevo.',
  notFoundTitle: 'Página no encontrada',
  notFoundLead: 'No hay nada en esta dirección.',
  notFoundNext: 'Compruebe la dirección o vuelva a la aplicación de la que vino.',
  busyTitle: 'Demasiados intentos',
  busyLead: 'Por su seguridad, vamos más despacio después de muchos intentos.',
  busyNext: 'Espere unos minutos y vuelva a intentarlo.',
  troubleTitle: 'Algo ha fallado',
  troubleLead: 'El fallo es nuestro y ha quedado registrado.',
  troubleNext: 'Vuelva a intentarlo en un momento. Si vuelve a ocurrir, envíe los detalles de abajo al soporte.',

  details: 'Detalles',
  detailCode: 'Error',
  detailParameter: 'Parámetro',
  detailDescription: 'Descripción',
  detailRequest: 'ID de la solicitud',
}

export const TEXTS = { en, pt, es } as const satisfies Record<string, Texts>

export type Locale = keyof typeof TEXTS

/** BCP 47, for `<html lang>`: the Portuguese is Brazil's. */
export const LANGUAGE_TAGS: Record<Locale, string> = { en: 'en', pt: 'pt-BR', es: 'es' }

export const textsOf = (locale: Locale): Texts => TEXTS[locale]

/**
 * The first language we speak, by `ui_locales` (OpenID Connect Core section 3.1.2.1: tags in order, spaces between),
 * then by Accept-Language (RFC 9110 section 12.5.4), else English.
 */
export function localeOf(uiLocales: string | undefined, acceptLanguage: string | undefined): Locale {
  const wanted = [...(uiLocales ?? '').split(/\s+/), ...byQuality(acceptLanguage ?? '')]
  return wanted.map((tag) => tag.toLowerCase().split('-')[0]!).find(isLocale) ?? 'en'
}

const isLocale = (language: string): language is Locale => Object.hasOwn(TEXTS, language)

function byQuality(acceptLanguage: string): string[] {
  return acceptLanguage
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
      const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2)
      return { tag, quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag)
}
