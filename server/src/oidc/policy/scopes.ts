import { CONTACT_SCOPES } from '../../resources/systems/schemas.ts'

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
    'act',
    'acr',
    'amr',
    'auth_time',
  ],
  email: ['email', 'email_verified'],
  profile: [
    'name',
    'given_name',
    'family_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
    'website',
    'gender',
    'birthdate',
    'zoneinfo',
    'locale',
    'updated_at',
  ],
  phone: ['phone_number', 'phone_number_verified'],
  address: ['address'],
}

const SCOPE_OF_CLAIM = new Map(
  Object.entries(CLAIMS).flatMap(([scope, claims]) => claims.map((claim) => [claim, scope])),
)
/** Undefined for a claim that is not supported. */
export const scopeOfClaim = (claim: string): string | undefined => SCOPE_OF_CLAIM.get(claim)

export const SCOPES = [...Object.keys(CLAIMS), 'offline_access']

/** The scopes of the phone number and the address of a user, as they are granted. */
export const CONTACT: { scopes: readonly string[]; claims: readonly string[] } = {
  scopes: CONTACT_SCOPES,
  claims: [],
}
