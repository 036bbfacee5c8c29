import type { Texts } from '../texts.ts'

export const palette: Texts['palette'] = {
  open: 'Buscar',
  title: 'Buscar e ir para',
  hint: 'E-mail, aplicativo, organização, ID ou página',
  page: 'Página',
  types: {
    user: 'Usuário',
    system: 'Aplicativo',
    account: 'Organização',
    membership: 'Membro',
    webhook: 'Webhook',
    session: 'Sessão',
    role: 'Função',
    profile: 'Perfil',
    request: 'Solicitação',
  },
  keys: 'Atalhos de teclado',
  keysOn: 'Usar atalhos de teclado',
  keyList: [
    ['Ctrl K', 'Buscar em tudo'],
    ['/', 'Buscar nesta lista'],
    ['j k', 'Linha seguinte e anterior'],
    ['Enter', 'Abrir a linha'],
    ['[ ]', 'Página anterior e seguinte'],
    ['c', 'Criar'],
    ['Esc', 'Fechar'],
    ['?', 'Mostrar esta lista'],
  ],
}
