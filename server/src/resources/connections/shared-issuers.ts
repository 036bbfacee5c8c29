/**
 * Issuers at which people of many organizations sign in, or anyone does: a connection to one of them would
 * sign in whoever has an account there. Each customer of the others has an issuer of its own.
 */

/** One issuer for the accounts of everyone, whatever its path. */
const HOSTS = new Set([
  'appleid.apple.com',
  'account.apple.com',
  'www.linkedin.com',
  'slack.com',
  'gitlab.com',
  'login.salesforce.com',
  'test.salesforce.com',
  'welcome.salesforce.com',
  'www.facebook.com',
  'limited.facebook.com',
  'login.live.com',
  'api.login.yahoo.com',
  'auth.login.yahoo.co.jp',
  'access.line.me',
  'kauth.kakao.com',
  'id.twitch.tv',
  'www.paypal.com',
  'www.paypalobjects.com',
  'discord.com',
  'bitbucket.org',
  'auth.atlassian.com',
  'accounts.spotify.com',
  'identity.xero.com',
  'oauth.platform.intuit.com',
  'www.dropbox.com',
  'huggingface.co',
  'token.actions.githubusercontent.com',
])

/** Entra ID: the first part of the path is the tenant. */
const ENTRA = new Set([
  'login.microsoftonline.com',
  'login.microsoftonline.us',
  'login.partner.microsoftonline.cn',
  'login.chinacloudapi.cn',
  'login.microsoft.com',
  'login.windows.net',
  'sts.windows.net',
])
/** What is no tenant of one organization: names for several, and the tenants of personal accounts. */
const NO_TENANT = new Set([
  '',
  'common',
  'organizations',
  'consumers',
  '{tenantid}',
  '9188040d-6c67-4c5b-b112-36a304b66dad',
  'f8cdef31-a31e-4b4a-93e4-5f571e91255a',
])

/** Its accounts are of one organization only together with the claim `hd`. */
const GOOGLE = 'accounts.google.com'

type Restricted = { requiredClaims: Readonly<Record<string, string[]>> }

/**
 * Whether people of several organizations can sign in at the issuer. `baseUrl`: this installation is a
 * provider of the users of all its systems.
 */
export function isShared(issuer: string, { requiredClaims }: Restricted, baseUrl: string): boolean {
  const { hostname, pathname, origin } = new URL(issuer)
  const host = hostname.replace(/\.+$/, '')
  if (origin === new URL(baseUrl).origin || HOSTS.has(host)) return true
  if (host === GOOGLE) return !isNarrowed(requiredClaims.hd)
  if (!ENTRA.has(host)) return false
  const [, tenant = ''] = decoded(pathname).toLowerCase().split('/')
  return NO_TENANT.has(tenant)
}

const isNarrowed = (values: string[] = []) => values.length > 0 && values.every((each) => each !== '')

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return '' // as without a tenant
  }
}
