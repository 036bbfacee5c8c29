import type { Catalog } from '../en.ts'

export const organization: Catalog['organization'] = {
  application: 'Aplicativo',
  yourRoles: 'Suas funções',
  noRoles: 'Sem funções',
  since: 'Membro desde',
  admins: 'Administradores',
  noAdmins: 'Nenhum',
  moreAdmins: 'e outros',
  you: 'você',
  leave: 'Sair desta organização',
  leaveLead:
    'Você perde imediatamente o acesso a {account} e sai de lá. Para voltar, você precisa de um convite.',
  lastAdmin: 'Você é o único administrador. Primeiro torne outro membro administrador.',
}
