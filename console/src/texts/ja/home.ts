import type { Texts } from '../texts.ts'

export const home: Texts['home'] = {
  title: 'ホーム',
  signIns: 'サインイン',
  failures: '拒否されたサインイン',
  tokens: 'トークン',
  activeUsers: '今日のアクティブユーザー',
  in30Days: '30 日間で {count}',
  newUsers: '7 日間で新規 {count} 人',
  members: 'メンバー',
  activeIn30Days: '30 日間のアクティブ：{count}',
  sessions: '有効なセッション',
  now: '現在',
  nothingBefore: '24 時間以内。1 週間前はなし',
  asBefore: '24 時間以内。1 週間前と同じ',
  more: '24 時間以内。1 週間前より {percent} % 増',
  less: '24 時間以内。1 週間前より {percent} % 減',
  period: '期間',
  activeUsersByDay: 'アクティブユーザー',
  windows: { 1: '当日', 7: '7 日間', 30: '30 日間' },
  attention: '対応待ち',
  pendingMemberships: {
    one: '{count} 人のメンバーが承認を待っています',
    other: '{count} 人のメンバーが承認を待っています',
  },
  failingWebhooks: {
    one: '{count} 件の Webhook が失敗または無効です',
    other: '{count} 件の Webhook が失敗または無効です',
  },
  failedMail: {
    one: '{count} 通のメールが配信されませんでした',
    other: '{count} 通のメールが配信されませんでした',
  },
  noSecondFactor:
    'アカウントの 2 段階認証がオフです。パスワードを知った人は、このインストールを管理できます。',
  addSecondFactor: '第 2 要素を追加',
  failuresByReason: '過去 24 時間にサインインが拒否された理由',
  firstSteps: '最初のサインインまでの 3 つの手順',
  createSystem: 'アプリケーションを作成',
  createSystemLead:
    'ユーザーがサインインするウェブサイト、アプリ、サービスです。client ID とサンプルコードが表示されます。',
  createSystemAction: '新しいアプリケーション',
  createUsers: 'ユーザーを追加',
  createUsersLead:
    'アプリケーションにサインインできるユーザーを作成するか、別のサービスからインポートします。',
  createUsersAction: 'ユーザーを追加',
  signIn: 'サインイン',
  signInLead:
    'サンプルコードをコピーして起動し、サインインしてください。その後、この一覧は表示されなくなります。',
  signInAction: 'クイックスタート',
  stepDone: '完了',
}
