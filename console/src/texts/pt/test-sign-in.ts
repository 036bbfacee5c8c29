import type { Texts } from '../texts.ts'

export const testSignIn: Texts['testSignIn'] = {
  title: 'Testar o login',
  lead: 'Alguém não consegue entrar? Envie um link. A pessoa entra como sempre, e você vê o que seu aplicativo teria recebido. Seu aplicativo não é chamado.',
  create: 'Criar um link',
  send: 'Envie este link ao usuário ou abra-o você mesmo. Ele funciona por 10 minutos.',
  open: 'Abrir o link',
  waiting: 'Aguardando o resultado…',
  waitingLead: 'O usuário entra e depois escolhe “Compartilhar o resultado”. Antes disso você não vê nada.',
  expired: 'O link expirou, e o resultado não foi compartilhado. Crie um novo.',
  shared: 'O usuário compartilhou este resultado.',
  noClaims: 'Nada: o login não chega até aqui.',
  verdicts: {
    passed: 'aprovado',
    asked: 'o usuário seria solicitado',
    refused: 'recusado',
    skipped: 'não necessário',
  },
  sentences: {
    'user.another': 'Entrou outro usuário, e não aquele para quem é o teste.',
    'credential.password': 'O usuário entrou com a senha.',
    'credential.passkey': 'O usuário entrou com uma chave de acesso.',
    'credential.identity': 'O usuário entrou com outro provedor.',
    'code.mailed': 'O usuário digitou um código recebido por e-mail.',
    'factor.verify': 'O usuário confirmou o segundo fator.',
    'membership.pending': 'A participação aguarda um administrador.',
    'membership.blocked': 'A participação está bloqueada.',
    'membership.none': 'O usuário não é membro, e o aplicativo não está aberto para cadastro.',
    'membership.foreign': 'O usuário não é membro ativo da organização solicitada.',
    'account.selected': 'O usuário escolheu uma de várias organizações.',
    'consent.scopes': 'Seria pedido ao usuário que concorde com o que o aplicativo solicita.',
  },
}
