import type { Texts } from '../texts.ts'

export const palette: Texts['palette'] = {
  open: 'Rechercher',
  title: 'Rechercher et ouvrir',
  hint: 'Adresse e-mail, application, organisation, ID ou page',
  page: 'Page',
  types: {
    user: 'Utilisateur',
    system: 'Application',
    account: 'Organisation',
    membership: 'Membre',
    webhook: 'Webhook',
    session: 'Session',
    role: 'Rôle',
    profile: 'Profil',
    request: 'Demande',
  },
  keys: 'Raccourcis clavier',
  keysOn: 'Utiliser les raccourcis clavier',
  keyList: [
    ['Ctrl K', 'Rechercher partout'],
    ['/', 'Rechercher dans cette liste'],
    ['j k', 'Ligne suivante et précédente'],
    ['Enter', 'Ouvrir la ligne'],
    ['[ ]', 'Page précédente et suivante'],
    ['c', 'Créer'],
    ['Esc', 'Fermer'],
    ['?', 'Afficher cette liste'],
  ],
}
