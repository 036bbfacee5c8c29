/** The plans of the suite, and what each of them needs from the server: its clients and settings. */
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { type AdminClient, type Body, expectStatus } from '../support/http.ts'

/** The origins of the server and of the suite: the TLS proxies of processes.ts. */
export const ISSUER = 'https://localhost:9443'
export const SUITE = 'https://localhost:8443'
/** Gives its consent. */
export const MEMBER = 'member@conformance.example'
/** Refuses its consent, and therefore never has a stored one. */
export const REFUSING = 'refusing@conformance.example'

export const PASSWORD = 'correct horse battery staple'

const ALIAS = 'tenantry'
const BACK = `${SUITE}/test/a/${ALIAS}`
const CALLBACK = `${BACK}/callback`
/** The suite adds a query to the redirect URI of a second client. */
const CALLBACKS = [CALLBACK, `${CALLBACK}?dummy1=lorem&dummy2=ipsum`]
const SCOPES = ['openid', 'email', 'profile', 'phone', 'address', 'offline_access']

export type Plan = {
  name: string
  title: string
  variant: Record<string, string>
  /** Creates the clients. Returns the configuration of the plan. */
  prepare(admin: AdminClient, users: Body[]): Promise<object>
}

const STATIC = { client_registration: 'static_client' }

export const PLANS: Plan[] = [
  {
    name: 'oidcc-config-certification-test-plan',
    title: 'OpenID Connect Config',
    variant: {},
    prepare: async () => common,
  },
  {
    name: 'oidcc-basic-certification-test-plan',
    title: 'OpenID Connect Basic',
    variant: { server_metadata: 'discovery', ...STATIC },
    prepare: (admin, users) => withSecrets(admin, users),
  },
  {
    name: 'oidcc-rp-initiated-logout-certification-test-plan',
    title: 'RP-Initiated Logout',
    variant: { response_type: 'code', ...STATIC },
    prepare: (admin, users) => withSecrets(admin, users),
  },
  {
    name: 'oidcc-backchannel-rp-initiated-logout-certification-test-plan',
    title: 'Back-Channel Logout',
    variant: { response_type: 'code', ...STATIC },
    prepare: (admin, users) =>
      withSecrets(admin, users, { backchannelLogoutUri: `${BACK}/backchannel_logout` }),
  },
  {
    name: 'fapi2-security-profile-final-test-plan',
    title: 'FAPI 2.0 Security Profile Final',
    variant: {
      client_auth_type: 'private_key_jwt',
      sender_constrain: 'dpop',
      openid: 'openid_connect',
      fapi_profile: 'plain_fapi',
      authorization_request_type: 'simple',
    },
    prepare: withKeys,
  },
]

const common = {
  alias: ALIAS,
  description: 'Tenantry',
  server: { discoveryUrl: `${ISSUER}/.well-known/openid-configuration` },
}

/** The users have every detail that a scope names, so that no claim is missing. */
export function createUsers(admin: AdminClient): Promise<Body[]> {
  const details = {
    password: PASSWORD,
    emailVerified: true,
    name: 'Ana Maria Lima',
    givenName: 'Ana',
    middleName: 'Maria',
    familyName: 'Lima',
    nickname: 'Ana',
    preferredUsername: 'ana.lima',
    profile: 'https://people.example/ana',
    picture: 'https://people.example/ana.png',
    website: 'https://ana.example/',
    gender: 'female',
    birthdate: '1990-02-28',
    zoneinfo: 'Europe/Lisbon',
    locale: 'en',
    phoneNumber: '+351210000000',
    phoneNumberVerified: true,
    address: {
      streetAddress: 'Rua Augusta 1',
      locality: 'Lisboa',
      region: 'Lisboa',
      postalCode: '1100-048',
      country: 'PT',
    },
  }
  return Promise.all([MEMBER, REFUSING].map((email) => create(admin, 'users', { email, ...details })))
}

async function create(admin: AdminClient, path: string, fields: object): Promise<Body> {
  return expectStatus(await admin.post(`/admin/${path}`, fields), 201).body
}

async function createSystem(admin: AdminClient, users: Body[], fields: object): Promise<Body> {
  const system = await create(admin, 'systems', { name: 'Conformance', allowedScopes: SCOPES, ...fields })
  for (const { id } of users) await create(admin, 'memberships', { userId: id, systemId: system.id })
  return system
}

/** Confidential clients with a secret. The Basic plan sends requests without PKCE. */
async function withSecrets(admin: AdminClient, users: Body[], fields: object = {}): Promise<object> {
  const client = async () => {
    const { clientId, clientSecret } = await createSystem(admin, users, {
      redirectUris: CALLBACKS,
      postLogoutRedirectUris: [`${BACK}/post_logout_redirect`],
      requirePkce: false,
      skipConsent: true,
      ...fields,
    })
    return { client_id: clientId, client_secret: clientSecret }
  }
  return { ...common, client: await client(), client2: await client(), client_secret_post: await client() }
}

/** Clients of the FAPI 2.0 profile, with keys of the suite. They ask for consent, which a module refuses. */
async function withKeys(admin: AdminClient, users: Body[]): Promise<object> {
  const client = async (alg: string) => {
    const { publicJwk, privateJwk } = await newKey(alg)
    const { clientId } = await createSystem(admin, users, {
      redirectUris: CALLBACKS,
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: { keys: [publicJwk] },
      securityProfile: 'fapi2',
      idTokenAlg: 'ES256',
    })
    const scope = 'openid email profile offline_access'
    return { client_id: clientId, scope, jwks: { keys: [privateJwk] }, dpop_signing_alg: 'ES256' }
  }
  return {
    ...common,
    client: await client('PS256'),
    client2: await client('ES256'),
    resource: { resourceUrl: `${ISSUER}/me` },
  }
}

async function newKey(alg: string): Promise<{ publicJwk: JWK; privateJwk: JWK }> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const names = { alg, use: 'sig', kid: crypto.randomUUID() }
  return {
    publicJwk: { ...(await exportJWK(publicKey)), ...names },
    privateJwk: { ...(await exportJWK(privateKey)), ...names },
  }
}
