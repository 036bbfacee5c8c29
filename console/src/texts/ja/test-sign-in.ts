import type { Texts } from '../texts.ts'

export const testSignIn: Texts['testSignIn'] = {
  title: 'サインインをテスト',
  lead: 'サインインできない人がいますか？リンクを送ってください。いつもどおりサインインしてもらうと、アプリケーションが受け取るはずの内容を確認できます。アプリケーションは呼び出されません。',
  create: 'リンクを作成',
  send: 'このリンクをユーザーに送るか、自分で開いてください。10 分間有効です。',
  open: 'リンクを開く',
  waiting: '結果を待っています…',
  waitingLead: 'ユーザーがサインインし、「結果を共有」を選択します。それまでは何も表示されません。',
  expired: 'リンクの有効期限が切れ、結果は共有されませんでした。新しいリンクを作成してください。',
  shared: 'ユーザーがこの結果を共有しました。',
  noClaims: 'なし：サインインがここまで進みません。',
  verdicts: {
    passed: '通過',
    asked: 'ユーザーに求められます',
    refused: '拒否',
    skipped: '不要',
  },
  sentences: {
    'user.another': 'テストの対象とは別のユーザーがサインインしました。',
    'credential.password': 'ユーザーはパスワードでサインインしました。',
    'credential.passkey': 'ユーザーはパスキーでサインインしました。',
    'credential.identity': 'ユーザーは別のプロバイダーでサインインしました。',
    'code.mailed': 'ユーザーはメールのコードを入力しました。',
    'factor.verify': 'ユーザーは 2 つ目の要素で確認しました。',
    'membership.pending': 'メンバーシップは管理者の承認待ちです。',
    'membership.blocked': 'メンバーシップはブロックされています。',
    'membership.none': 'ユーザーはメンバーではなく、アプリケーションは登録を受け付けていません。',
    'membership.foreign': 'ユーザーは、要求された組織の有効なメンバーではありません。',
    'account.selected': 'ユーザーは複数の組織から 1 つを選択しました。',
    'consent.scopes': 'ユーザーは、アプリケーションが要求する内容への同意を求められます。',
  },
}
