import type { Catalog } from '../en.ts'

export const email: Catalog['email'] = {
  time: 'Horário',
  ipAddress: 'Endereço IP',
  notYou: 'Se não foi você, altere sua senha imediatamente e avise o administrador.',
  notExpected: 'Se você não esperava essa alteração, avise o administrador imediatamente.',
  ignore: 'Se foi você, não é preciso fazer nada.',

  passwordChanged: 'Sua senha foi alterada',
  passwordChangedFor: 'Sua senha de {system} foi alterada',
  byAdministrator:
    'Um administrador alterou a senha da sua conta {email}. Suas sessões foram encerradas em todos os dispositivos.',
  byLink:
    'A senha da sua conta {email} foi alterada por um link enviado a este endereço. Suas sessões foram encerradas em todos os dispositivos.',
  atSignIn:
    'A senha da sua conta {email} foi alterada durante um login. Suas sessões nos outros dispositivos foram encerradas.',
  inAccountSettings:
    'A senha da sua conta {email} foi alterada nas configurações da conta. Suas sessões nos outros dispositivos foram encerradas.',
  passwordReset: 'Sua senha foi redefinida',
  passwordResetFor: 'Sua senha de {system} foi redefinida',
  resetByAdministrator:
    'Um administrador redefiniu a senha da sua conta {email}. Suas sessões foram encerradas em todos os dispositivos. Peça a senha temporária ao administrador; depois de entrar com ela, você escolhe uma nova.',

  resetLink: 'Escolha uma nova senha',
  resetLinkFor: 'Escolha uma nova senha para {system}',
  resetLinkLead:
    'Foi solicitada uma nova senha para a sua conta {email}. Escolha-a pelo link abaixo. O link expira em 30 minutos e funciona uma vez.',
  resetLinkAction: 'Escolher nova senha',
  resetLinkNotAsked: 'Se você não solicitou isso, ignore este e-mail. Sua senha não será alterada.',

  verification: 'Confirme seu e-mail',
  verificationFor: 'Confirme seu e-mail para {system}',
  verificationLead:
    'Confirme que {email} é o seu e-mail. O link abaixo expira em 24 horas e funciona uma vez.',
  verificationAction: 'Confirmar e-mail',
  verificationNotAsked: 'Se você não solicitou isso, ignore este e-mail.',
  registration: 'Crie sua conta',
  registrationFor: 'Crie sua conta para {system}',
  registrationLead:
    'Para criar uma conta para {system} com o e-mail {email}, digite este código na página em que você se cadastrou. Ele funciona uma vez.',
  registrationLinkLead:
    'Se essa página não estiver mais aberta, use o link abaixo e escolha uma senha. O link expira em 24 horas e funciona uma vez.',
  registrationAction: 'Criar conta',
  registrationNotAsked:
    'Se você não se cadastrou, ignore este e-mail e não compartilhe o código. Nenhuma conta será criada.',
  accountExists: 'Você já tem uma conta',
  accountExistsFor: 'Você já tem uma conta para {system}',
  accountExistsLead:
    'Alguém tentou criar uma conta para {system} com o e-mail {email}, mas você já tem uma conta: entre com a senha dela. Se você esqueceu a senha, escolha uma nova pelo link abaixo. O link expira em 30 minutos e funciona uma vez.',
  accountExistsNotAsked: 'Se não foi você, ignore este e-mail. Nada foi alterado.',

  mfaRemoved: 'A verificação em duas etapas foi removida',
  mfaRemovedFor: 'A verificação em duas etapas de {system} foi removida',
  mfaRemovedLead:
    'Um administrador removeu o aplicativo autenticador, as chaves de acesso e os códigos de recuperação da sua conta {email}. Suas sessões foram encerradas em todos os dispositivos.',
  totpAdded: 'Um aplicativo autenticador foi adicionado',
  totpAddedFor: 'Um aplicativo autenticador foi adicionado para {system}',
  totpAddedLead:
    'Um aplicativo autenticador foi adicionado à sua conta {email}. A partir de agora, é preciso um código do aplicativo para entrar.',
  passkeyAdded: 'Uma chave de acesso foi adicionada',
  passkeyAddedFor: 'Uma chave de acesso foi adicionada para {system}',
  passkeyAddedLead:
    'Uma chave de acesso foi adicionada à sua conta {email}. Com ela, é possível entrar sem senha.',
  totpRemoved: 'Seu aplicativo autenticador foi removido',
  totpRemovedFor: 'Seu aplicativo autenticador de {system} foi removido',
  totpRemovedLead: 'O aplicativo autenticador foi removido da sua conta {email}.',
  passkeyRemoved: 'Uma chave de acesso foi removida',
  passkeyRemovedFor: 'Uma chave de acesso de {system} foi removida',
  passkeyRemovedLead: 'Uma chave de acesso foi removida da sua conta {email}.',
  totpRemovedByAdministrator:
    'Um administrador removeu o aplicativo autenticador da sua conta {email}. Suas sessões foram encerradas em todos os dispositivos.',
  passkeyRemovedByAdministrator:
    'Um administrador removeu uma chave de acesso da sua conta {email}. Suas sessões foram encerradas em todos os dispositivos.',
  recoveryCodesRenewed: 'Novos códigos de recuperação foram criados',
  recoveryCodesRenewedFor: 'Novos códigos de recuperação de {system} foram criados',
  recoveryCodesRenewedLead:
    'Novos códigos de recuperação foram criados nas configurações da sua conta {email}. Os códigos anteriores não funcionam mais.',
  recoveryCodeUsed: 'Um código de recuperação foi usado',
  recoveryCodeUsedFor: 'Um código de recuperação foi usado para entrar em {system}',
  recoveryCodeUsedLead:
    'Um código de recuperação foi usado para entrar na sua conta {email}. Códigos de recuperação restantes: {left}.',

  identityAdded: 'Um método de login foi adicionado',
  identityAddedFor: 'Um método de login de {system} foi adicionado',
  identityAddedLead:
    'Uma conta de {provider} foi conectada à sua conta {email}. Ela pode ser usada para entrar.',
  identityRemoved: 'Um método de login foi removido',
  identityRemovedFor: 'Um método de login de {system} foi removido',
  identityRemovedLead: 'Um administrador desconectou {provider} da sua conta {email}.',
  identityUnlinkedLead: '{provider} foi desconectado da sua conta {email} nas configurações da conta.',

  mailedCode: 'Seu código de login',
  mailedCodeFor: 'Seu código de login de {system}',
  mailedCodeLead:
    'Digite este código para entrar na sua conta {email}. O código expira em 10 minutos e funciona uma vez.',
  mailedCodeNotAsked:
    'Se você não está tentando entrar, não compartilhe este código com ninguém e altere sua senha.',
  signedIn: 'Novo login na sua conta',
  signedInFor: 'Novo login em {system}',
  signedInLead: 'Sua conta {email} foi usada para entrar com um navegador ou uma rede que não conhecemos.',

  emailChange: 'Confirme seu novo e-mail',
  emailChangeLead:
    'Um usuário pediu para alterar o e-mail da própria conta para {email}. Se foi você, confirme o e-mail pelo link abaixo. O link expira em 30 minutos e funciona uma vez.',
  emailChangeAction: 'Confirmar e-mail',
  emailChangeAllow: 'Aprove a alteração do seu e-mail',
  emailChangeAllowLead:
    'Foi solicitada a alteração do e-mail da sua conta de {email} para {address}. Aprove-a pelo link abaixo e confirme o novo e-mail pelo link que enviamos a ele. Cada link expira em 30 minutos e funciona uma vez.',
  emailChangeAllowAction: 'Aprovar alteração',
  emailChangeNotAsked: 'Se não foi você, não aprove e altere sua senha. Nada foi alterado ainda.',
  emailChanged: 'Seu e-mail foi alterado',
  emailChangedFor: 'Seu e-mail de {system} foi alterado',
  emailLeft: 'O e-mail da sua conta foi alterado de {email} para {address}.',
  emailLeftByAdministrator: 'Um administrador alterou o e-mail da sua conta de {email} para {address}.',
  emailTaken: 'O e-mail da sua conta agora é {email}.',
  emailTakenByAdministrator: 'Um administrador alterou o e-mail da sua conta para {email}.',

  invited: 'Você foi convidado para {account}',
  invitedFor: 'Você foi convidado para {account} em {system}',
  invitation: '{inviter} convida você para {account}',
  invitationFor: '{inviter} convida você para {account} em {system}',
  invitationLead: 'Você pode entrar em {account} no aplicativo {system} com o endereço {email}.',
  invitationWords: '{inviter} escreve:',
  invitationAction: 'Abrir o convite',
  invitationExpiry: 'O convite expira em {expiry}.',
  invitationNotExpected:
    'Se você não conhece o remetente, ignore este e-mail ou recuse na página do link. Não encaminhe o link.',

  test: 'E-mail de teste de {name}',
  testLead: 'Este e-mail foi enviado para {email} pelo console de {name}: o servidor de e-mail funciona.',
  testIgnore: 'Se você não o esperava, ignore este e-mail. Nada foi alterado.',
}
