import type { Texts } from '../texts.ts'

export const problems: Texts['problems'] = {
  unreachable: 'サーバーが応答しません。接続を確認して、もう一度お試しください。',
  unavailable: 'サーバーが混み合っています。しばらくしてからもう一度お試しください。',
  internal:
    'サーバーでエラーが発生しました。繰り返す場合は、サーバーの管理者にリクエスト ID を伝えてください。',
  too_many_requests: '試行回数が多すぎます。後でもう一度お試しください。',
  read_only: '閲覧はできますが、変更はできません。',
  context_not_found: 'ここへのアクセス権はもうありません。',
  version_conflict: 'その間にほかの人が変更しました。再読み込みしてください。',
  last_admin: '組織には管理者が必要です。先に別のメンバーを管理者にしてください。',
  system_not_found: 'このアプリケーションは存在しません。',
  webhook_not_found: 'この Webhook は存在しません。',
  last_admin_role: 'アプリケーションに組織があり、組織を管理するロールがなくなってしまいます。',
  platform_system: 'このアプリケーションはインストール環境を管理しているため、削除できません。',
  role_name_taken: '別のロールがこの名前を使用しています。',
  profile_name_taken: '別のプロファイルがこの名前を使用しています。',
  webhook_disabled: 'Webhook は無効です。先に有効にしてください。',
  account_not_found: 'この組織は存在しません。',
  service_accounts_not_allowed: 'このアプリケーションはサービスアカウントを許可していません。',
  email_taken: '別のユーザーがこのメールアドレスを使用しています。',
  insufficient_authority: 'あなたのアクセス権では許可されていません。',
  operator_exists: 'このユーザーにはすでにこのアクセスがあります。',
  membership_exists: 'この人は既にメンバーです。',
  invitation_exists: 'このアドレスには既に招待があります。再送信してください。',
  links_not_allowed: 'メッセージにリンクは使えません。',
  invitation_ended: 'この招待は終了しています。',
}
