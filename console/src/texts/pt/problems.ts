import type { Texts } from '../texts.ts'

export const problems: Texts['problems'] = {
  unreachable: 'O servidor não respondeu. Verifique sua conexão e tente novamente.',
  unavailable: 'O servidor está ocupado. Tente novamente em instantes.',
  internal:
    'O servidor informou um erro. Se acontecer de novo, informe o ID da solicitação a quem administra este servidor.',
  too_many_requests: 'Muitas tentativas. Tente novamente mais tarde.',
  read_only: 'Você pode consultar isto, mas não alterar.',
  context_not_found: 'Você não tem mais acesso aqui.',
  version_conflict: 'Outra pessoa alterou isto enquanto isso. Carregue novamente.',
  last_admin: 'Uma organização precisa de um administrador. Primeiro torne outro membro administrador.',
  system_not_found: 'Este aplicativo não existe.',
  webhook_not_found: 'Este webhook não existe.',
  last_admin_role: 'O aplicativo tem organizações, e não restaria nenhuma função que as administre.',
  platform_system: 'Este aplicativo gerencia a instalação e não pode ser excluído.',
  role_name_taken: 'Outra função tem este nome.',
  profile_name_taken: 'Outro perfil tem este nome.',
  webhook_disabled: 'O webhook está desativado. Ative-o primeiro.',
  account_not_found: 'Esta organização não existe.',
  service_accounts_not_allowed: 'O aplicativo não permite contas de serviço.',
  email_taken: 'Outro usuário tem este e-mail.',
  insufficient_authority: 'Seu acesso não permite isto.',
  operator_exists: 'Este usuário já tem este acesso.',
  membership_exists: 'Esta pessoa já é membro.',
  invitation_exists: 'Este endereço já tem um convite. Envie-o novamente.',
  links_not_allowed: 'A mensagem não pode conter links.',
  invitation_ended: 'O convite terminou.',
}
