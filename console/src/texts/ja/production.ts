import type { Texts } from '../texts.ts'

export const production: Texts['production'] = {
  title: '本番運用の前に',
  lead: 'ユーザーがインターネット経由でサインインする前に設定する項目です。自分のマシンで試す間は、どれも後で構いません。',
  done: '完了',
  open: '未完了',
  checks: {
    address: {
      title: 'https のアドレス',
      open: 'ユーザーが開くアドレスを BASE_URL に設定してください。https:// で始まる必要があります。',
    },
    proxy: {
      title: 'クライアントのアドレス',
      open: 'このサーバーの前にあるプロキシのアドレスを TRUST_PROXY に設定してください。設定しないと、すべてのユーザーがプロキシのアドレスとなり、1 人に対する制限がほかのユーザーにも影響します。',
    },
    mail: {
      title: 'メールサーバー',
      open: 'MAIL_URL を設定してください。設定しないと、メールは outbox ディレクトリのファイルになり、ユーザーには届きません。',
    },
    sender: {
      title: 'メールの送信元',
      open: '自社ドメインのアドレスを MAIL_FROM に設定してください。メールサーバーは no-reply@localhost からのメールを拒否します。',
    },
    secondFactor: {
      title: 'このコンソールの第 2 要素',
      open: 'CONSOLE_REQUIRE_MFA=true を設定してください。設定しないと、パスワードだけですべてのアプリケーションとユーザーを管理できます。',
    },
    privateAddresses: {
      title: 'プライベートアドレスへのリクエストなし',
      open: 'WEBHOOK_ALLOW_PRIVATE と SOCIAL_ALLOW_PRIVATE を削除してください。残すと、Webhook や ID プロバイダーがネットワーク内のサーバーに到達できます。',
    },
    database: {
      title: 'PostgreSQL',
      open: '組み込みデータベースは 1 台のマシンの 1 つのプロセスにだけ対応します。複数のプロセスやフェイルオーバーには DATABASE_URL を設定してください。',
    },
    metrics: {
      title: '監視',
      open: 'METRICS_TOKEN または METRICS_PORT を設定し、Prometheus が /metrics を読み取るようにしてください。',
    },
    redirectUris: {
      title: '開発者のマシンへのリダイレクトなし',
      open: '次のアプリケーションから localhost のリダイレクト URI を削除してください:',
    },
  },
}
