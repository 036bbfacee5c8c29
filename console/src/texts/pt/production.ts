import type { Texts } from '../texts.ts'

export const production: Texts['production'] = {
  title: 'Antes de ir para produção',
  lead: 'O que definir antes que usuários entrem pela Internet. Na sua própria máquina, tudo isso pode esperar.',
  done: 'Feito',
  open: 'Pendente',
  checks: {
    address: {
      title: 'Endereço com https',
      open: 'Defina BASE_URL com o endereço que os usuários abrem. Ele deve começar com https://.',
    },
    proxy: {
      title: 'Endereços dos clientes',
      open: 'Defina TRUST_PROXY com o endereço do proxy à frente deste servidor. Sem isso, todos os usuários têm o endereço do proxy, e um limite para um deles para os outros.',
    },
    mail: {
      title: 'Servidor de e-mail',
      open: 'Defina MAIL_URL. Sem isso, os e-mails são arquivos do diretório outbox, e nenhum usuário os recebe.',
    },
    sender: {
      title: 'Remetente dos e-mails',
      open: 'Defina MAIL_FROM com um endereço do seu domínio. Servidores de e-mail recusam e-mails de no-reply@localhost.',
    },
    secondFactor: {
      title: 'Segundo fator para este console',
      open: 'Defina CONSOLE_REQUIRE_MFA=true. Sem isso, uma senha basta para gerenciar todos os aplicativos e usuários.',
    },
    privateAddresses: {
      title: 'Nenhuma solicitação a endereços privados',
      open: 'Remova WEBHOOK_ALLOW_PRIVATE e SOCIAL_ALLOW_PRIVATE; caso contrário, webhooks e provedores de identidade alcançam servidores da sua rede.',
    },
    database: {
      title: 'PostgreSQL',
      open: 'O banco de dados integrado atende a um só processo em uma máquina. Defina DATABASE_URL para vários processos e para failover.',
    },
    metrics: {
      title: 'Monitoramento',
      open: 'Defina METRICS_TOKEN ou METRICS_PORT e faça o Prometheus ler /metrics.',
    },
    redirectUris: {
      title: 'Nenhum redirecionamento para a máquina de um desenvolvedor',
      open: 'Remova os URIs de redirecionamento com localhost de:',
    },
  },
}
