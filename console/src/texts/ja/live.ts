import type { Texts } from '../texts.ts'

export const live: Texts['live'] = {
  title: 'ライブイベント',
  lead: '現在の変更、サインイン、拒否を新しい順に表示します。このページには何も保存されません。',
  pause: '一時停止',
  resume: { one: '再開（新着 {count} 件）', other: '再開（新着 {count} 件）' },
  clear: 'クリア',
  download: 'JSON でダウンロード',
  onlyFailures: '拒否のみ',
  open: '接続済み',
  lost: '接続中…',
  rate: { one: '過去 1 分間に {count} 件', other: '過去 1 分間に {count} 件' },
  none: 'イベントを待っています',
  noneLead: 'アプリケーションにサインインするか、別のタブで何かを変更すると、数秒以内に表示されます。',
  time: '日時',
  type: '内容',
  who: '実行者',
}
