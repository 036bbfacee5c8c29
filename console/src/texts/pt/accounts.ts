import type { Texts } from '../texts.ts'

export const accounts: Texts['accounts'] = {
  title: 'Organizações',
  lead: 'Os clientes dos seus aplicativos: cada organização tem seus próprios membros e administradores.',
  search: 'Buscar por nome',
  name: 'Nome',
  system: 'Aplicativo',
  kind: 'Tipo',
  kinds: { organization: 'Organização', personal: 'Pessoal' },
  otherKinds: { personal: 'Pessoal', all: 'Ambos' },
  members: 'Membros',
  admins: 'Administradores',
  noAdmin: 'Nenhum',
  withoutAdmin: 'Administradores',
  withoutAdminOptions: { true: 'Nenhum' },
  pending: 'A aprovar',
  created: 'Criada',
  new: 'Nova organização',
  newLead: 'Depois você adiciona os membros e torna um deles administrador.',
  empty: 'Ainda não há organizações',
  emptyLead:
    'Uma organização é um cliente de um aplicativo, com membros próprios. Crie uma ou deixe que os usuários criem as deles.',
  back: 'Organizações',
  tabs: {
    members: 'Membros',
    invitations: 'Convites',
    serviceAccounts: 'Contas de serviço',
    sessions: 'Sessões',
    audit: 'Auditoria',
    settings: 'Configurações',
  },
  viewAs: 'Ver como administrador dela',
  hasNoAdmin:
    'Ninguém pode gerenciar esta organização: ela não tem nenhum administrador ativo. Dê a um membro uma função de administrador.',
  nameHint: 'Os membros veem este nome ao entrar.',
  membersVisible: 'Os membros veem uns aos outros',
  membersVisibleHint:
    'Nas páginas da organização em /account. Os administradores sempre veem todos os membros.',
  acceptOtherAddress: 'É possível aceitar um convite com outro endereço',
  acceptOtherAddressHint:
    'Quem recebe o e-mail de um convite pode repassá-lo: então um usuário com outro endereço verificado pode participar. Desativado: só o endereço convidado pode participar.',
  membersHidden: 'Membros ocultos',
  otherAddresses: 'Outros endereços podem participar',
  delete: 'Excluir a organização',
  deleteTitle: 'Excluir {name}?',
  deleteLead:
    'O acesso de {members} é perdido, e são encerradas imediatamente: {sessions}. Os usuários são mantidos. Isto não pode ser desfeito.',
  deleteMembers: { one: '{count} membro', other: '{count} membros' },
  deleteSessions: { one: '{count} sessão', other: '{count} sessões' },
  deleteHint: 'Os membros perdem o acesso. Os usuários são mantidos.',
  deleted: 'Organização excluída',
}
