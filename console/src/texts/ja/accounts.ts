import type { Texts } from '../texts.ts'

export const accounts: Texts['accounts'] = {
  title: '組織',
  lead: 'アプリケーションの顧客です。組織ごとにメンバーと管理者がいます。',
  search: '名前で検索',
  name: '名前',
  system: 'アプリケーション',
  kind: '種類',
  kinds: { organization: '組織', personal: '個人' },
  otherKinds: { personal: '個人', all: '両方' },
  members: 'メンバー',
  admins: '管理者',
  noAdmin: 'なし',
  withoutAdmin: '管理者',
  withoutAdminOptions: { true: 'なし' },
  pending: '承認待ち',
  created: '作成日時',
  new: '新しい組織',
  newLead: '作成後にメンバーを追加し、そのうちの 1 人を管理者にします。',
  empty: '組織はまだありません',
  emptyLead:
    '組織はアプリケーションの顧客で、独自のメンバーを持ちます。組織を作成するか、ユーザーに作成してもらってください。',
  back: '組織',
  tabs: { members: 'メンバー', invitations: '招待', sessions: 'セッション', audit: '監査', settings: '設定' },
  viewAs: '組織の管理者として表示',
  hasNoAdmin:
    '有効な管理者がいないため、誰もこの組織を管理できません。メンバーに管理者のロールを付与してください。',
  nameHint: 'メンバーがサインインするときに表示されます。',
  delete: '組織を削除',
  deleteTitle: '{name} を削除しますか？',
  deleteLead:
    '{members}がすぐにアクセスできなくなり、{sessions}が終了します。ユーザー自体は残ります。この操作は取り消せません。',
  deleteMembers: { one: 'メンバー {count} 人', other: 'メンバー {count} 人' },
  deleteSessions: { one: 'セッション {count} 件', other: 'セッション {count} 件' },
  deleteHint: 'メンバーはアクセスできなくなります。ユーザー自体は残ります。',
  deleted: '組織を削除しました',
}
