/** Claims by scope, as in OpenID Connect Core section 5.4; ours belong to `openid`. */
export const CLAIMS = {
  openid: [
    'sub',
    'account_id',
    'membership_id',
    'roles',
    'is_admin',
    'permissions',
    'profiles',
    'sid',
    'acr',
    'amr',
    'auth_time',
  ],
  email: ['email', 'email_verified'],
  profile: ['name', 'given_name', 'family_name', 'locale', 'updated_at'],
}
