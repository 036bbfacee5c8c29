import type { Texts } from '../texts.ts'

export const palette: Texts['palette'] = {
  open: '検索',
  title: '検索して移動',
  hint: 'メールアドレス、アプリケーション、組織、ID、ページ',
  page: 'ページ',
  types: {
    user: 'ユーザー',
    system: 'アプリケーション',
    account: '組織',
    membership: 'メンバー',
    webhook: 'Webhook',
    session: 'セッション',
    role: 'ロール',
    profile: 'プロファイル',
    request: 'リクエスト',
  },
  keys: 'キーボードショートカット',
  keysOn: 'キーボードショートカットを使用',
  keyList: [
    ['Ctrl K', 'すべてを検索'],
    ['/', 'この一覧を検索'],
    ['j k', '次の行、前の行'],
    ['Enter', '行を開く'],
    ['[ ]', '前のページ、次のページ'],
    ['c', '作成'],
    ['Esc', '閉じる'],
    ['?', 'この一覧を表示'],
  ],
}
