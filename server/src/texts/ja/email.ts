import type { Catalog } from '../en.ts'

export const email: Catalog['email'] = {
  time: '日時',
  ipAddress: 'IP アドレス',
  notYou: 'お心当たりがない場合は、すぐにパスワードを変更し、管理者に連絡してください。',
  notExpected: 'この変更にお心当たりがない場合は、すぐに管理者に連絡してください。',
  ignore: 'ご本人による操作の場合は、対応の必要はありません。',

  passwordChanged: 'パスワードが変更されました',
  passwordChangedFor: '{system} のパスワードが変更されました',
  byAdministrator:
    '管理者がお客様のアカウント {email} のパスワードを変更しました。すべてのデバイスからサインアウトされました。',
  byLink:
    'このアドレスに送信されたリンクから、お客様のアカウント {email} のパスワードが変更されました。すべてのデバイスからサインアウトされました。',
  atSignIn:
    'サインイン中に、お客様のアカウント {email} のパスワードが変更されました。ほかのすべてのデバイスからサインアウトされました。',
  inAccountSettings:
    'アカウント設定で、お客様のアカウント {email} のパスワードが変更されました。ほかのすべてのデバイスからサインアウトされました。',
  passwordReset: 'パスワードがリセットされました',
  passwordResetFor: '{system} のパスワードがリセットされました',
  resetByAdministrator:
    '管理者がお客様のアカウント {email} のパスワードをリセットしました。すべてのデバイスからサインアウトされました。仮パスワードを管理者にお問い合わせください。仮パスワードでサインインした後、新しいパスワードを設定していただきます。',

  resetLink: '新しいパスワードを設定してください',
  resetLinkFor: '{system} の新しいパスワードを設定してください',
  resetLinkLead:
    'お客様のアカウント {email} の新しいパスワードの設定が要求されました。下のリンクから設定してください。リンクの有効期限は 30 分で、使用できるのは 1 回だけです。',
  resetLinkAction: '新しいパスワードを設定',
  resetLinkNotAsked: 'お心当たりがない場合は、このメールを無視してください。パスワードは変更されません。',

  verification: 'メールアドレスを確認してください',
  verificationFor: '{system} のメールアドレスを確認してください',
  verificationLead:
    '{email} がお客様のメールアドレスであることを確認してください。下のリンクの有効期限は 24 時間で、使用できるのは 1 回だけです。',
  verificationAction: 'メールアドレスを確認',
  verificationNotAsked: 'お心当たりがない場合は、このメールを無視してください。',
  registration: 'アカウントを作成してください',
  registrationFor: '{system} のアカウントを作成してください',
  registrationLead:
    'アドレス {email} で {system} のアカウントを作成するには、登録したページでこのコードを入力してください。使用できるのは 1 回だけです。',
  registrationLinkLead:
    'そのページを閉じてしまった場合は、下のリンクからパスワードを設定してください。リンクの有効期限は 24 時間で、使用できるのは 1 回だけです。',
  registrationAction: 'アカウントを作成',
  registrationNotAsked:
    '登録にお心当たりがない場合は、このメールを無視し、コードを誰にも教えないでください。アカウントは作成されません。',
  accountExists: 'すでにアカウントをお持ちです',
  accountExistsFor: 'すでに {system} のアカウントをお持ちです',
  accountExistsLead:
    'アドレス {email} で {system} のアカウントを作成しようとする操作がありましたが、すでにアカウントをお持ちです。そのパスワードでサインインしてください。パスワードを忘れた場合は、下のリンクから新しいパスワードを設定してください。リンクの有効期限は 30 分で、使用できるのは 1 回だけです。',
  accountExistsNotAsked: 'お心当たりがない場合は、このメールを無視してください。何も変更されていません。',

  mfaRemoved: '2 段階認証が解除されました',
  mfaRemovedFor: '{system} の 2 段階認証が解除されました',
  mfaRemovedLead:
    '管理者がお客様のアカウント {email} から認証アプリ、パスキー、リカバリーコードを削除しました。すべてのデバイスからサインアウトされました。',
  totpAdded: '認証アプリが追加されました',
  totpAddedFor: '{system} に認証アプリが追加されました',
  totpAddedLead:
    'お客様のアカウント {email} に認証アプリが追加されました。今後のサインインには、アプリのコードが必要です。',
  passkeyAdded: 'パスキーが追加されました',
  passkeyAddedFor: '{system} にパスキーが追加されました',
  passkeyAddedLead:
    'お客様のアカウント {email} にパスキーが追加されました。パスワードなしでサインインできます。',
  totpRemoved: '認証アプリが削除されました',
  totpRemovedFor: '{system} の認証アプリが削除されました',
  totpRemovedLead: 'お客様のアカウント {email} から認証アプリが削除されました。',
  passkeyRemoved: 'パスキーが削除されました',
  passkeyRemovedFor: '{system} のパスキーが削除されました',
  passkeyRemovedLead: 'お客様のアカウント {email} からパスキーが削除されました。',
  totpRemovedByAdministrator:
    '管理者がお客様のアカウント {email} から認証アプリを削除しました。すべてのデバイスからサインアウトされました。',
  passkeyRemovedByAdministrator:
    '管理者がお客様のアカウント {email} からパスキーを削除しました。すべてのデバイスからサインアウトされました。',
  recoveryCodesRenewed: '新しいリカバリーコードが作成されました',
  recoveryCodesRenewedFor: '{system} の新しいリカバリーコードが作成されました',
  recoveryCodesRenewedLead:
    'お客様のアカウント {email} の設定で、新しいリカバリーコードが作成されました。以前のコードは使用できなくなりました。',
  recoveryCodeUsed: 'リカバリーコードが使用されました',
  recoveryCodeUsedFor: '{system} へのサインインにリカバリーコードが使用されました',
  recoveryCodeUsedLead:
    'お客様のアカウント {email} へのサインインにリカバリーコードが使用されました。リカバリーコードの残りは {left} 個です。',

  identityAdded: 'サインイン方法が追加されました',
  identityAddedFor: '{system} のサインイン方法が追加されました',
  identityAddedLead:
    '{provider} アカウントがお客様のアカウント {email} と連携されました。サインインに使用できます。',
  identityRemoved: 'サインイン方法が削除されました',
  identityRemovedFor: '{system} のサインイン方法が削除されました',
  identityRemovedLead: '管理者が {provider} とお客様のアカウント {email} の連携を解除しました。',
  identityUnlinkedLead: 'アカウント設定で、{provider} とお客様のアカウント {email} の連携が解除されました。',

  mailedCode: 'サインイン用コード',
  mailedCodeFor: '{system} のサインイン用コード',
  mailedCodeLead:
    'お客様のアカウント {email} にサインインするには、このコードを入力してください。コードの有効期限は 10 分で、使用できるのは 1 回だけです。',
  mailedCodeNotAsked:
    'サインインの操作をしていない場合は、このコードを誰にも教えず、パスワードを変更してください。',
  signedIn: 'アカウントへの新しいサインイン',
  signedInFor: '{system} への新しいサインイン',
  signedInLead:
    'お客様のアカウント {email} に、これまで使用されていないブラウザーまたはネットワークからのサインインがありました。',

  emailChange: '新しいメールアドレスを確認してください',
  emailChangeLead:
    'アカウントのメールアドレスを {email} に変更する要求がありました。ご本人による操作の場合は、下のリンクからアドレスを確認してください。リンクの有効期限は 30 分で、使用できるのは 1 回だけです。',
  emailChangeAction: 'メールアドレスを確認',
  emailChangeAllow: 'メールアドレスの変更を承認してください',
  emailChangeAllowLead:
    'アカウントのメールアドレスを {email} から {address} に変更する要求がありました。下のリンクから承認し、新しいアドレスに送信したリンクからそのアドレスを確認してください。各リンクの有効期限は 30 分で、使用できるのは 1 回だけです。',
  emailChangeAllowAction: '変更を承認',
  emailChangeNotAsked:
    'お心当たりがない場合は、承認せずにパスワードを変更してください。まだ何も変更されていません。',
  emailChanged: 'メールアドレスが変更されました',
  emailChangedFor: '{system} のメールアドレスが変更されました',
  emailLeft: 'アカウントのメールアドレスが {email} から {address} に変更されました。',
  emailLeftByAdministrator: '管理者がアカウントのメールアドレスを {email} から {address} に変更しました。',
  emailTaken: 'アカウントのメールアドレスは {email} になりました。',
  emailTakenByAdministrator: '管理者がアカウントのメールアドレスを {email} に変更しました。',

  invited: '{account}に招待されています',
  invitedFor: '{system}の{account}に招待されています',
  invitation: '{inviter}さんから{account}への招待',
  invitationFor: '{inviter}さんから{system}の{account}への招待',
  invitationLead: 'アドレス {email} で{system}の{account}に参加できます。',
  invitationWords: '{inviter}さんからのメッセージ：',
  invitationAction: '招待を開く',
  invitationExpiry: 'この招待の有効期限は{expiry}です。',
  invitationNotExpected:
    '送信者に心当たりがない場合は、このメールを無視するか、リンク先のページで辞退してください。リンクを転送しないでください。',

  test: '{name}からのテストメール',
  testLead:
    'このメールは{name}のコンソールから{email}に送信されました。メールサーバーは正常に動作しています。',
  testIgnore: '心当たりがない場合は、このメールを無視してください。何も変更されていません。',
}
