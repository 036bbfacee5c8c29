import type { Catalog } from '../en.ts'

export const errors: Catalog['errors'] = {
  requestTitle: 'サインインを開始できませんでした',
  requestLead: 'アプリケーションから無効な要求が送信されました。',
  requestParameter: '無効なパラメーター：{parameter}',
  requestNext:
    'アプリケーションに戻って、もう一度お試しください。エラーが続く場合は、下の詳細情報をアプリケーションのサポートに送信してください。',
  logoutTitle: 'サインアウトできませんでした',
  logoutLead: 'アプリケーションから無効な要求が送信されました。サインアウトは行われていません。',
  logoutNext:
    'アプリケーションに戻ってもう一度お試しいただくか、アカウント設定のページからサインアウトしてください。',
  expiredTitle: 'サインインの有効期限が切れました',
  expiredLead: 'ページを開いてから時間が経ちすぎたか、サインインがすでに完了しています。',
  expiredNext: 'アプリケーションに戻って、もう一度サインインしてください。',
  deniedTitle: 'アクセスが拒否されました',
  deniedLead: '{system} へのアクセスが拒否されました。',
  deniedNext: 'アプリケーションに戻るか、管理者にアクセスを依頼してください。',
  formTitle: 'フォームを送信できませんでした',
  formLead: 'ページを開いてから時間が経ちすぎたか、フォームがこのサイト以外から送信されました。',
  formNext: 'アプリケーションに戻って、もう一度サインインしてください。',
  notFoundTitle: 'ページが見つかりません',
  notFoundLead: 'このアドレスにページはありません。',
  notFoundNext: 'アドレスを確認するか、アプリケーションに戻ってください。',
  busyTitle: '試行回数が多すぎます',
  busyLead: 'アカウントを保護するため、試行回数を制限しています。',
  busyNext: '数分待ってから、もう一度お試しください。',
  linkUserTitle: '先にサインインしてください',
  linkUserLead:
    'このリンクは、アドレスを変更するアカウントにサインインしているブラウザーでのみ使用できます。',
  linkUserNext: 'このブラウザーでアカウントにサインインしてから、もう一度リンクを開いてください。',
  linkTitle: 'このリンクは使用できません',
  linkLead: 'すでに使用されたか、有効期限が切れたか、無効になっています。',
  linkNext: '最新のメールを開くか、アプリケーションに戻って新しいリンクを要求してください。',
  providerTitle: 'ほかのサービスでのサインインに失敗しました',
  providerLead: 'サービスがサインインを拒否したか、無効な応答を送信しました。',
  providerNext: 'サインインに戻ってもう一度お試しいただくか、別の方法でサインインしてください。',
  conflictTitle: '連携されているアカウントではありません',
  conflictLead: '連携されているものとは異なるアカウントまたはアドレスが、サービスから送信されました。',
  conflictNext:
    '別の方法でサインインしてください。その後、「セキュリティ」ページで連携中のアカウントを削除し、このアカウントと連携してください。',
  troubleTitle: '問題が発生しました',
  troubleLead: 'サーバー側のエラーです。エラーは記録されました。',
  troubleNext:
    'しばらくしてからもう一度お試しください。エラーが続く場合は、下の詳細情報をサポートに送信してください。',

  details: '詳細情報',
  detailCode: 'エラー',
  detailParameter: 'パラメーター',
  detailDescription: '説明',
  detailRequest: '要求 ID',
}
