import type { Catalog } from '../en.ts'

export const organization: Catalog['organization'] = {
  application: 'アプリケーション',
  yourRoles: 'あなたのロール',
  noRoles: 'ロールなし',
  since: '参加日',
  admins: '管理者',
  noAdmins: 'なし',
  moreAdmins: 'ほか',
  you: 'あなた',
  leave: 'この組織から脱退する',
  leaveLead:
    'すぐに {account} にアクセスできなくなり、サインアウトされます。再び参加するには招待が必要です。',
  lastAdmin: 'あなたは唯一の管理者です。先に別のメンバーを管理者にしてください。',
}
