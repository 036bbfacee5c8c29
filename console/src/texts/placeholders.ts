/** Written by `npm run docs` from en.json: the placeholders of each text that has some. */
export type Placeholders = {
  accounts: {
    suspendTitle: 'name'
    suspendLead: 'members' | 'sessions'
    resumeTitle: 'name'
    deleteTitle: 'name'
    deleteLead: 'members' | 'sessions'
  }
  audit: {
    place: 'name'
    toPlace: 'name'
    fromPlace: 'name'
    unknown: 'action' | 'actor' | 'target'
    notDone: 'sentence'
    joined: 'actor' | 'place'
    userDisabled: 'actor' | 'target'
    userEnabled: 'actor' | 'target'
    sentences: {
      'access.denied': 'actor' | 'place' | 'target'
      'audit.exported': 'actor'
      'account.created': 'actor' | 'target'
      'account.updated': 'actor' | 'target'
      'account.deleted': 'actor' | 'target'
      'account.suspended': 'actor' | 'target'
      'account.resumed': 'actor' | 'target'
      'consent.granted': 'actor' | 'system'
      'consent.revoked': 'actor'
      'domain.added': 'actor' | 'place' | 'target'
      'domain.updated': 'actor' | 'place' | 'target'
      'domain.removed': 'actor' | 'place' | 'target'
      'domain.check_requested': 'actor' | 'place' | 'target'
      'domain.verified': 'place' | 'target'
      'domain.lapsed': 'place' | 'target'
      'invitation.created': 'actor' | 'target' | 'toPlace'
      'invitation.resent': 'actor' | 'place' | 'target'
      'invitation.accepted': 'actor' | 'place' | 'target'
      'invitation.declined': 'place' | 'target'
      'invitation.revoked': 'actor' | 'place' | 'target'
      'invitation.expired': 'place' | 'target'
      'login.throttled': 'place' | 'target'
      'mail.tested': 'actor'
      'membership.created': 'actor' | 'target' | 'toPlace'
      'membership.granted': 'actor' | 'place' | 'target'
      'membership.restored': 'actor' | 'place' | 'target'
      'membership.blocked': 'actor' | 'place' | 'target'
      'membership.deleted': 'actor' | 'fromPlace' | 'target'
      'membership.left': 'actor' | 'fromPlace'
      'membership.roles_changed': 'actor' | 'place' | 'target'
      'membership.profiles_changed': 'actor' | 'place' | 'target'
      'test_sign_in.created': 'actor' | 'place'
      'test_sign_in.shared': 'actor' | 'place'
      'operator.created': 'actor' | 'target'
      'operator.deleted': 'actor' | 'target'
      'profile.created': 'actor' | 'target'
      'profile.updated': 'actor' | 'target'
      'profile.deleted': 'actor' | 'target'
      'role.created': 'actor' | 'target'
      'role.updated': 'actor' | 'target'
      'role.deleted': 'actor' | 'target'
      'security.refresh_reuse': 'place' | 'target'
      'service_account.created': 'actor' | 'place' | 'target'
      'service_account.updated': 'actor' | 'place' | 'target'
      'service_account.deleted': 'actor' | 'place' | 'target'
      'service_account.key_created': 'actor' | 'place' | 'target'
      'service_account.key_revoked': 'actor' | 'place' | 'target'
      'service_account.token_revoked': 'place' | 'target'
      'service_token.ended': 'actor' | 'place'
      'session.opened': 'actor' | 'place'
      'session.acting_started': 'actor' | 'place' | 'target'
      'session.ended': 'actor' | 'place' | 'target'
      'sign_in.refused': 'place' | 'target'
      'signing_key.added': 'actor'
      'signing_key.removed': 'actor'
      'signing_keys.rotated': 'actor'
      'system.addresses_asked': 'target'
      'system.created': 'actor' | 'target'
      'system.updated': 'actor' | 'target'
      'system.deleted': 'actor' | 'target'
      'system.email_text_updated': 'actor' | 'target'
      'system.email_text_reset': 'actor' | 'target'
      'system.email_text_tested': 'actor' | 'target'
      'system.secret_rotated': 'actor' | 'target'
      'user.code_mailed': 'place' | 'target'
      'user.created': 'actor' | 'place' | 'target'
      'user.deleted': 'actor' | 'target'
      'user.email_change_asked': 'actor' | 'target'
      'user.email_changed': 'actor' | 'target'
      'user.email_verified': 'target'
      'user.exported': 'actor' | 'target'
      'user.factor_added': 'actor' | 'target'
      'user.factor_removed': 'actor' | 'target'
      'user.factor_renamed': 'actor' | 'target'
      'user.identity_linked': 'actor' | 'target'
      'user.identity_removed': 'actor' | 'target'
      'user.login': 'actor' | 'toPlace'
      'user.mailed_code': 'place' | 'target'
      'user.limits_cleared': 'actor' | 'target'
      'user.merged': 'target'
      'user.mfa_disabled': 'actor' | 'target'
      'user.password_changed': 'actor' | 'target'
      'user.password_reset': 'actor' | 'target'
      'user.password_reset_by_link': 'target'
      'user.password_reset_sent': 'actor' | 'target'
      'user.password_set': 'actor' | 'target'
      'user.recovery_codes_renewed': 'actor' | 'target'
      'user.registered': 'place' | 'target'
      'user.second_factor': 'place' | 'target'
      'user.updated': 'actor' | 'target'
      'user.verification_sent': 'actor' | 'target'
      'webhook.created': 'actor' | 'target'
      'webhook.updated': 'actor' | 'target'
      'webhook.deleted': 'actor'
      'webhook.disabled': 'target'
      'webhook.secret_rotated': 'actor' | 'target'
      'webhook.tested': 'actor' | 'target'
      'webhook.resent': 'actor' | 'target'
    }
    unnamed: {
      'user.login': 'place'
      'sign_in.refused': 'place'
      'login.throttled': 'place'
    }
    because: 'reason' | 'sentence'
    redirects: 'registered' | 'sent' | 'sentence'
    noRedirects: 'sent' | 'sentence'
    repeated: 'count' | 'sentence' | 'time'
    refused: {
      'user.login': 'place' | 'target'
      'user.second_factor': 'place' | 'target'
      'user.mailed_code': 'place' | 'target'
      'user.registered': 'place' | 'target'
      'user.identity_linked': 'target'
      'access.denied': 'actor' | 'place' | 'target'
      'security.refresh_reuse': 'place' | 'target'
      'sign_in.refused': 'place' | 'target'
    }
    events: {
      'user.access_requested': 'target' | 'toPlace'
      'user.access_granted': 'target' | 'toPlace'
      'user.access_updated': 'place' | 'target'
    }
  }
  domains: {
    found: 'values'
    deleteTitle: 'name'
  }
  emailTexts: {
    tested: 'email'
  }
  explain: {
    unreached: 'steps'
    notShown: 'steps'
    sentences: {
      'client.redirect_uri': 'registered' | 'sent'
      'client.redirect_uri_none': 'sent'
      'client.client': 'clientId'
      'client.secret': 'clientId'
      'client.grant': 'clientId' | 'grantType'
      'throttle.waiting': 'until'
      'membership.invited': 'accounts'
      'membership.pending': 'since'
      'membership.blocked': 'since'
      'consent.scopes': 'scopes'
    }
  }
  home: {
    in30Days: 'count'
    newUsers: 'count'
    activeIn30Days: 'count'
    more: 'percent'
    less: 'percent'
  }
  images: {
    removeOf: 'name'
  }
  imports: {
    unreadable: 'message'
    ignored: 'fields'
    progress: 'all' | 'done'
    refusedMore: 'all' | 'shown'
  }
  installation: {
    removeOperatorLead: 'name'
    testSent: 'address'
    testWritten: 'address'
    retried: 'time'
  }
  invitations: {
    refusedOne: 'email' | 'reason'
  }
  limits: {
    cleared: 'email'
    waits: 'time'
    wait: 'time'
  }
  members: {
    removeTitle: 'name'
    removeLead: 'account' | 'name'
    lastAdminLead: 'account' | 'name'
    madeAdmin: 'name'
  }
  parts: {
    removeFilter: 'name'
    rows: 'from' | 'to' | 'total'
    moreThan: 'total'
    select: 'name'
    progress: 'done' | 'total'
    typeName: 'name'
    exportFirst: 'count'
    exportProgress: 'count' | 'total'
  }
  quickStart: {
    addAddress: 'address'
    allowScopes: 'scopes'
    save: 'file'
    secret: 'keys' | 'variable'
    signInLead: 'address' | 'email'
    signInPrinted: 'email'
    worksLead: 'time'
    tested: 'folder'
  }
  serviceAccounts: {
    disabledDone: 'name'
    enabledDone: 'name'
    edit: 'name'
    deleteTitle: 'name'
    deleted: 'name'
    newKeyTitle: 'name'
    keyExpires: 'time'
    keyExpired: 'time'
    keyUsed: 'time'
    keyTitle: 'name'
    revoke: 'hint'
    revokeTitle: 'hint'
  }
  sessions: {
    actsFor: 'name'
  }
  settings: {
    editRole: 'name'
    deleteRole: 'name'
    deletedRole: 'name'
    removeAttribute: 'name'
    badJson: 'error'
    previewSignIn: 'name'
    rotateTitle: 'name'
    previousUntil: 'time'
    signOutAllTitle: 'name'
    deleteTitle: 'name'
    deleted: 'name'
    useOrigin: 'origin'
  }
  shell: {
    noContextLead: 'email'
    viewing: 'name'
  }
  systems: {
    originHint: 'paths'
    createdTitle: 'name'
    roleFailed: 'reason'
    allValues: 'file'
    addUser: {
      title: 'name'
      added: 'email'
      existed: 'email'
      notSent: 'email' | 'reason'
    }
  }
  users: {
    deleteTitle: 'name'
    removeFactorsTitle: 'name'
    factorIn: 'name'
    removeFactorTitle: 'factor' | 'name'
    factorRemoved: 'factor'
    unlinkTitle: 'provider'
    unlinkLead: 'name' | 'provider'
    notJson: 'message'
  }
  webhooks: {
    failingSince: 'time'
    pausedUntil: 'time'
    ms: 'count'
    delivery: 'type'
  }
}
