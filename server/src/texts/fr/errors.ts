import type { Catalog } from '../en.ts'

export const errors: Catalog['errors'] = {
  requestTitle: 'La connexion n’a pas pu commencer',
  requestLead: 'L’application a envoyé une demande non valide.',
  requestParameter: 'Paramètre non valide : {parameter}.',
  requestNext:
    'Revenez à l’application et réessayez. Si l’erreur persiste, envoyez les détails ci-dessous à son assistance.',
  logoutTitle: 'Vous n’avez pas pu être déconnecté',
  logoutLead: 'L’application a envoyé une demande non valide. Vous n’avez pas été déconnecté.',
  logoutNext:
    'Revenez à l’application et réessayez, ou déconnectez-vous dans les paramètres de votre compte.',
  expiredTitle: 'Cette connexion a expiré',
  expiredLead: 'La page est restée ouverte trop longtemps, ou la connexion est déjà terminée.',
  expiredNext: 'Revenez à l’application et reconnectez-vous.',
  deniedTitle: 'Accès refusé',
  deniedLead: 'L’accès à {system} a été refusé.',
  deniedNext: 'Revenez à l’application, ou demandez l’accès à son administrateur.',
  formTitle: 'Le formulaire n’a pas pu être envoyé',
  formLead: 'La page est restée ouverte trop longtemps, ou le formulaire ne provient pas de ce site.',
  formNext: 'Revenez à l’application et reconnectez-vous.',
  notFoundTitle: 'Page introuvable',
  notFoundLead: 'Il n’y a pas de page à cette adresse.',
  notFoundNext: 'Vérifiez l’adresse, ou revenez à l’application.',
  rightTitle: 'Vous ne pouvez pas faire cela ici',
  rightLead:
    'Seuls les administrateurs de l’organisation peuvent ouvrir cette page ou faire cette modification.',
  rightNext: 'Si vous devriez pouvoir le faire, contactez un administrateur de l’organisation.',
  busyTitle: 'Trop de tentatives',
  busyLead: 'Pour protéger votre compte, le nombre de tentatives est limité.',
  busyNext: 'Patientez quelques minutes, puis réessayez.',
  linkUserTitle: 'Connectez-vous d’abord',
  linkUserLead:
    'Ce lien ne fonctionne que dans un navigateur où vous êtes connecté au compte dont vous modifiez l’adresse.',
  linkUserNext: 'Connectez-vous à votre compte dans ce navigateur, puis ouvrez à nouveau le lien.',
  linkTitle: 'Ce lien ne fonctionne plus',
  linkLead: 'Il a déjà été utilisé, a expiré ou n’est plus valide.',
  linkNext: 'Ouvrez l’e-mail le plus récent, ou revenez à l’application et demandez un nouveau lien.',
  providerTitle: 'La connexion avec un autre service a échoué',
  providerLead: 'Le service a refusé la connexion ou envoyé une réponse non valide.',
  providerNext: 'Revenez à la connexion et réessayez, ou connectez-vous avec une autre méthode.',
  conflictTitle: 'Ce n’est pas le compte associé',
  conflictLead:
    'L’autre service a envoyé un autre compte ou une autre adresse que ceux qui sont associés ici.',
  conflictNext:
    'Connectez-vous avec une autre méthode. Supprimez ensuite le compte associé sur la page « Sécurité » et associez celui-ci.',
  testTitle: 'Le test s’est terminé par une erreur',
  testLead: 'Lors d’une connexion réelle, {system} aurait reçu cette erreur.',
  testNext: 'Envoyez les détails ci-dessous à la personne qui vous a demandé le test.',
  troubleTitle: 'Une erreur est survenue',
  troubleLead: 'L’erreur vient de notre côté et a été consignée.',
  troubleNext:
    'Réessayez dans un instant. Si l’erreur persiste, envoyez les détails ci-dessous à l’assistance.',

  details: 'Détails',
  detailCode: 'Erreur',
  detailParameter: 'Paramètre',
  detailDescription: 'Description',
  detailRequest: 'ID de la demande',
}
