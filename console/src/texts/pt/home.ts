import type { Texts } from '../texts.ts'

export const home: Texts['home'] = {
  title: 'Início',
  signIns: 'Logins',
  failures: 'Logins recusados',
  tokens: 'Tokens',
  activeUsers: 'Usuários ativos hoje',
  in30Days: '{count} em 30 dias',
  newUsers: '{count} novos em 7 dias',
  members: 'Membros',
  activeIn30Days: '{count} ativos em 30 dias',
  sessions: 'Sessões ativas',
  now: 'agora',
  nothingBefore: 'em 24 horas; nenhum uma semana antes',
  asBefore: 'em 24 horas; igual a uma semana antes',
  more: 'em 24 horas; {percent} % a mais que uma semana antes',
  less: 'em 24 horas; {percent} % a menos que uma semana antes',
  activity: 'Logins dos últimos 7 dias',
  attention: 'Aguardando você',
  pendingMemberships: {
    one: '{count} membro aguarda aprovação',
    other: '{count} membros aguardam aprovação',
  },
  failingWebhooks: {
    one: '{count} webhook falha ou está desativado',
    other: '{count} webhooks falham ou estão desativados',
  },
  failedMail: { one: '{count} e-mail não foi entregue', other: '{count} e-mails não foram entregues' },
  failuresByReason: 'Por que logins foram recusados nas últimas 24 horas',
  firstSteps: 'Três passos até o primeiro login',
  createSystem: 'Crie um aplicativo',
  createSystemLead:
    'O site, app ou serviço em que seus usuários entram. Você recebe o client ID e código de exemplo.',
  createSystemAction: 'Novo aplicativo',
  createUsers: 'Adicione usuários',
  createUsersLead:
    'Crie um usuário e adicione-o ao aplicativo, ou importe usuários de outro serviço. Se ele tiver organizações, crie uma primeiro.',
  createUsersAction: 'Usuários',
  signIn: 'Entre',
  signInLead: 'Abra seu aplicativo e entre. Você vê cada passo aqui no momento em que acontece.',
  signInAction: 'Eventos ao vivo',
}
