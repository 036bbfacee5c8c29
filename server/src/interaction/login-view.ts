/** The login step, as a page and as JSON. */
import { assertionOptions, hasPasskeys } from '../authentication/passkey.ts'
import { ACCOUNT_CLIENT_ID } from '../oidc/clients/client.ts'
import { isTestSignIn, type SignInStep } from '../oidc/interaction.ts'
import type { EnabledUser } from '../resources/sign-ins/queries.ts'
import type { ClientSystem } from '../resources/systems/queries.ts'
import type { PageState, Sentences } from '../ui/forms.ts'
import { connectionsPage, type OfferedConnection } from '../ui/pages/connection-sign-in.ts'
import { type LoginPage, loginPage } from '../ui/pages/login.ts'
import { noPasswordPage } from '../ui/pages/no-password.ts'
import {
  addressOf,
  type ConnectionOffer,
  linkedProviders,
  type ProviderLink,
  providersOf,
  readOffer,
} from './elsewhere.ts'
import { connectionToGoOn } from './going-on.ts'

/**
 * `another`: the login of another user than the signed-in one. `ways`: the form of address and password, not
 * the connections. `offers`: the connections for the address were asked for; `looksUp: false`: they
 * are not looked for. `entered`: the address was entered, and the password is asked for.
 */
export type LoginState = PageState & {
  another?: boolean
  ways?: boolean
  offers?: boolean
  looksUp?: false
  entered?: boolean
}

export type LoginView = {
  /** The address in the form. */
  email: string | undefined
  asks: NonNullable<LoginPage['asks']>
  links: { register?: string; forgotPassword: string }
  providers: ProviderLink[]
  offer: ConnectionOffer
  /** The page goes on to the provider. */
  goesOn: OfferedConnection | undefined
  passkey: { action: string; options: object } | undefined
  /** The linked providers of a user of /account who has neither a password nor a passkey. */
  noPassword: { providers: ProviderLink[] } | undefined
  /** From the password back to the address. */
  change: string
  /** The form of the forgotten password with the address. */
  forgot: string
}

type Shown = {
  /** The step. */
  at: string
  state: LoginState
  /** The user of the browser. */
  user: EnabledUser | undefined
}

export async function readLogin(
  step: SignInStep,
  system: ClientSystem | undefined,
  { at, state, user }: Shown,
): Promise<LoginView> {
  const { parts, interaction } = step
  const { uid, params } = interaction
  const { values } = state
  const isAccountClient = params.client_id === ACCOUNT_CLIENT_ID // re-authentication: of the same user
  const email = values?.email ?? params.login_hint ?? (isAccountClient ? user?.email : undefined)
  const links = linksOf(uid, system?.open === true && !isTestSignIn(interaction))
  const isLogin = at === 'login'
  const offer = await readOffer(step, system, { at, email, state })
  return {
    email,
    asks: askedFor(system, state),
    links,
    providers: providersOf(parts.config, uid),
    offer,
    goesOn: connectionToGoOn(step, offer, state),
    passkey: isLogin ? passkeyOf(parts, uid) : undefined,
    noPassword:
      isLogin && isAccountClient && user?.withoutCredentials && !isTyped(state)
        ? { providers: await linkedProviders(parts, uid, user) }
        : undefined,
    change: addressOf(step, { values }),
    forgot: values?.email ? addressOf(step, { step: 'forgot_password', values }) : links.forgotPassword,
  }
}

/** Where the address is asked for first, the password is asked for after it, or after *Other ways*. */
function askedFor(
  system: ClientSystem | undefined,
  { ways, entered, values, errors = {} }: LoginState,
): LoginView['asks'] {
  if (!system?.addressFirst || ways) return 'both'
  const isAfterAddress = entered === true || errors.form !== undefined || errors.password !== undefined
  return values?.email && !errors.email && isAfterAddress ? 'password' : 'address'
}

/** Whether the login form of any user was requested or sent. */
const isTyped = ({ another, values, errors }: LoginState): boolean =>
  another === true || values !== undefined || errors !== undefined

/** The passkey alternative of the login step; undefined where passkeys are not available. */
const passkeyOf = (parts: SignInStep['parts'], uid: string): LoginView['passkey'] =>
  hasPasskeys(parts.config)
    ? { action: `/interaction/${uid}/passkey`, options: assertionOptions(parts, uid) }
    : undefined

const linksOf = (uid: string, open: boolean): LoginView['links'] => ({
  ...(open && { register: `/interaction/${uid}/register` }),
  forgotPassword: `/interaction/${uid}/forgot-password`,
})

type Page = Pick<LoginPage, 'locale' | 'system' | 'csrf' | 'errors'> & { email: string }

/** The page of the login, of the connections, or of whoever has no password. */
export function loginStepPage(
  { email, asks, links, offer, goesOn, noPassword, change, forgot, ...ways }: LoginView,
  { uid, notice }: { uid: string; notice: Sentences['notice'] },
  page: Page,
): string {
  if (noPassword) {
    const action = `/interaction/${uid}/forgot-password`
    return noPasswordPage({ ...page, ...noPassword, action, another: `/interaction/${uid}?another=yes` })
  }
  if (offer.isPage) return connectionsPage({ ...page, ...offer, goesOn })
  return loginPage({
    ...{ ...page, ...offer, ...ways, asks, change, notice },
    action: `/interaction/${uid}/login`,
    values: { email },
    links: asks === 'password' ? { ...links, forgotPassword: forgot } : links,
  })
}

export const loginJson = (step: string, { links, providers, offer, passkey }: LoginView) => ({
  ...(passkey && { passkey }),
  ...(step === 'login' && { links, providers }),
  ...(offer.address && { addressAction: offer.address }),
  ...((offer.address || offer.connections.length > 0) && { connections: offer.connections }),
})
