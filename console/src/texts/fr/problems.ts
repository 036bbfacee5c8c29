import type { Texts } from '../texts.ts'

export const problems: Texts['problems'] = {
  unreachable: 'Le serveur n’a pas répondu. Vérifiez votre connexion et réessayez.',
  unavailable: 'Le serveur est surchargé. Réessayez dans un instant.',
  internal:
    'Le serveur a signalé une erreur. Si elle se reproduit, transmettez l’ID de la demande à la personne qui exploite ce serveur.',
  too_many_requests: 'Trop de tentatives. Réessayez plus tard.',
  read_only: 'Vous pouvez consulter ceci, mais pas le modifier.',
  context_not_found: 'Vous n’avez plus accès ici.',
  version_conflict: 'Quelqu’un d’autre a modifié ceci entre-temps. Rechargez-le.',
  last_admin: 'Une organisation a besoin d’un administrateur. Nommez d’abord un autre membre administrateur.',
  system_not_found: 'Cette application n’existe pas.',
  account_not_found: 'Cette organisation n’existe pas.',
  webhook_not_found: 'Ce webhook n’existe pas.',
  last_admin_role: 'L’application a des organisations, et il ne resterait aucun rôle pour les administrer.',
  platform_system: 'Cette application gère l’installation et ne peut pas être supprimée.',
  role_name_taken: 'Un autre rôle porte ce nom.',
  profile_name_taken: 'Un autre profil porte ce nom.',
  webhook_disabled: 'Le webhook est désactivé. Activez-le d’abord.',
  service_accounts_not_allowed: 'L’application n’autorise pas les comptes de service.',
  email_taken: 'Un autre utilisateur a cette adresse e-mail.',
  insufficient_authority: 'Votre accès ne le permet pas.',
  operator_exists: 'Cet utilisateur a déjà cet accès.',
  membership_exists: 'Cette personne est déjà membre.',
  invitation_exists: 'Cette adresse a déjà une invitation. Renvoyez-la plutôt.',
  links_not_allowed: 'Le message ne doit pas contenir de lien.',
  invitation_ended: 'L’invitation est terminée.',
}
