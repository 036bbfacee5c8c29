/** Settings of external identity providers: one group `SOCIAL_<ID>_…` for each provider. */
import { createPrivateKey, type KeyObject } from 'node:crypto'

/** Apple requires a client secret that is a JWT signed with this key. */
export type AppleKey = { teamId: string; keyId: string; privateKey: KeyObject }

/**
 * `openid`: OpenID Connect. `github`: OAuth 2.0 and GitHub's API. `apple`: OpenID Connect with deviations.
 */
export type SocialProvider = {
  /** The name of its settings. Operators may rename it: users are identified by issuer and subject. */
  id: string
  /** The text of its button. */
  name: string
  issuer: string
  clientId: string
  /** The domains of the addresses that it may verify; `*`: all. */
  trustedDomains: string[]
} & (
  | { kind: 'openid'; clientSecret: string }
  | { kind: 'github'; clientSecret: string }
  | { kind: 'apple'; key: AppleKey }
)

/** Google's issuer, which alone may verify the addresses of the organizations that it hosts. */
export const GOOGLE_ISSUER = 'https://accounts.google.com'

/** Defaults of well-known providers. Microsoft's issuer accepts work, school and personal accounts. */
const PRESETS: Record<string, Pick<SocialProvider, 'name' | 'issuer'> & { domains?: string }> = {
  google: { name: 'Google', issuer: GOOGLE_ISSUER, domains: 'gmail.com' },
  microsoft: { name: 'Microsoft', issuer: 'https://login.microsoftonline.com/common/v2.0' },
  github: { name: 'GitHub', issuer: 'https://github.com' },
  apple: { name: 'Apple', issuer: 'https://appleid.apple.com', domains: 'privaterelay.appleid.com' },
}

/** GitHub is not an OpenID provider and states no issuer; this text is no URL, so none can equal it. */
export const githubIssuer = (issuer: string): string => `github:${issuer}`

/** Microsoft's issuers for several tenants, whose tokens name the tenant. */
const MICROSOFT_TENANTS =
  /^(https:\/\/login\.microsoftonline\.com\/)(?:common|organizations|consumers)\/v2\.0$/
const MICROSOFT_TENANT = /^https:\/\/login\.microsoftonline\.com\/[\da-f-]{36}\/v2\.0$/

/** Whether identities of this issuer are those of a provider. */
export function isIssuerOf(
  { kind, issuer }: Pick<SocialProvider, 'kind' | 'issuer'>,
  stated: string,
): boolean {
  if (kind === 'github') return stated === githubIssuer(issuer)
  return stated === issuer || (MICROSOFT_TENANTS.test(issuer) && MICROSOFT_TENANT.test(stated))
}

/**
 * Parses Apple's .p8 file, in which line ends may be written as `\n`. Undefined if it is not an ES256 key.
 */
function es256Key(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'))
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch {
    return undefined
  }
}

/** GitHub's issuer has one form, since it is part of the key of its identities. */
const issuerOf = (id: string, issuer: string): string =>
  id === 'github' ? (URL.parse(issuer)?.href ?? issuer).replace(/\/+$/, '') : issuer

type Part = (name: string) => string

function readAppleKey(part: Part, faults: string[]): AppleKey | undefined {
  const [teamId, keyId, pem] = [part('TEAM_ID'), part('KEY_ID'), part('PRIVATE_KEY')]
  const privateKey = es256Key(pem)
  if (pem && !privateKey)
    faults.push(
      'SOCIAL_APPLE_PRIVATE_KEY must be an ES256 private key in PEM format: the content of the .p8 file.',
    )
  return privateKey && { teamId, keyId, privateKey }
}

/** One provider for each <ID>, ordered by id. Appends a message to `faults` for each invalid setting. */
export function readSocial(
  given: (name: string) => string | undefined,
  env: NodeJS.ProcessEnv,
  allowPrivate: boolean,
  faults: string[],
): SocialProvider[] {
  const ids = Object.keys(env).flatMap((name) => {
    const id =
      /^SOCIAL_([A-Z0-9]+)_(?:ISSUER|CLIENT_ID|CLIENT_SECRET|NAME|TRUSTED_DOMAINS|TEAM_ID|KEY_ID|PRIVATE_KEY)$/.exec(
        name,
      )?.[1]
    return id && given(name) ? [id] : []
  })
  return [...new Set(ids)].sort().flatMap((key): SocialProvider[] => {
    const id = key.toLowerCase()
    const preset = PRESETS[id]
    const part = (name: string, otherwise?: string) => {
      const value = given(`SOCIAL_${key}_${name}`) ?? otherwise
      if (!value) faults.push(`SOCIAL_${key}_${name} is required for the identity provider ${key}.`)
      return value ?? ''
    }
    const issuer = issuerOf(id, part('ISSUER', preset?.issuer))
    const url = URL.parse(issuer)
    const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && allowPrivate)
    if (issuer && (!url || !secure || url.search || url.hash || url.username))
      faults.push(`SOCIAL_${key}_ISSUER must be an https URL (http only with SOCIAL_ALLOW_PRIVATE=true).`)
    if (id === 'social')
      faults.push('SOCIAL_SOCIAL_*: `social` is reserved and cannot be the id of an identity provider.')
    const name = given(`SOCIAL_${key}_NAME`) ?? preset?.name ?? `${key.charAt(0)}${id.slice(1)}`
    const ownDomains = issuer === preset?.issuer ? preset.domains : undefined
    const domains = given(`SOCIAL_${key}_TRUSTED_DOMAINS`) ?? ownDomains ?? ''
    const trustedDomains = domains
      .toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean)
    const known = { id, name, issuer, clientId: part('CLIENT_ID'), trustedDomains }
    if (id !== 'apple')
      return [{ ...known, kind: id === 'github' ? 'github' : 'openid', clientSecret: part('CLIENT_SECRET') }]
    const appleKey = readAppleKey(part, faults)
    return appleKey ? [{ ...known, kind: 'apple', key: appleKey }] : []
  })
}
