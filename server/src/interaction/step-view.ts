/** The data of the required step, for its HTML page and its JSON. */
import { type PasswordLengths, passwordLengths } from '../authentication/new-password.ts'
import type { Config } from '../config.ts'
import type { Interaction, Step } from '../oidc/interaction.ts'
import { ACCOUNT_CLIENT_ID } from '../oidc/provider/clients.ts'
import { findEnabledUser } from '../oidc/storage/queries.ts'
import { clientOf } from '../resources/systems/clients.ts'
import type { Client } from '../resources/systems/queries.ts'
import { type Locale, localeOf } from '../ui/i18n/texts.ts'
import type { SystemLook } from '../ui/layout.ts'
import { type PageState, type Sentences, sentencesOf } from '../ui/page-state.ts'
import { type FactorStep, passkeyOf, readFactorStep } from './factor-view.ts'
import { isRegistrationStep, type RegistrationStep, type RegistrationView } from './registration-view.ts'

/**
 * `step`: shown instead of the login. `registration`: sealed, sent back by the browser that has registered.
 */
export type StepState = PageState & { step?: RegistrationStep; registration?: string }

type ProviderLink = { id: string; name: string; url: string }

/** The data of a step, for both representations. */
export type StepView = {
  interaction: Interaction
  step: string
  system: SystemLook
  locale: Locale
  lengths: PasswordLengths
  /** The address of the signed-in user. */
  email: string
  /** The address in the login form. */
  loginEmail: string | undefined
  links: { register?: string; forgotPassword: string }
  providers: ProviderLink[]
  passkey: { action: string; options: object } | undefined
  factor: FactorStep | undefined
  registration: RegistrationView | undefined
  sentences: Sentences
}

export async function readStep({ parts, request, interaction }: Step, state: StepState): Promise<StepView> {
  const { uid, prompt, params, session } = interaction
  const { values = {}, registration } = state
  const found = await clientOf(parts.db, params.client_id)
  const system = lookOf(parts.config, found)
  const user =
    session?.accountId === undefined ? undefined : await findEnabledUser(parts.db, session.accountId)
  const email = user?.email ?? ''
  const step = state.step ?? prompt.name
  const locale = localeOf(params.ui_locales, request.headers['accept-language'])
  const lengths = passwordLengths(parts.config)
  const { userAgent } = request.actor
  const isAccountClient = params.client_id === ACCOUNT_CLIENT_ID // re-authentication: of the same user
  return {
    interaction,
    step,
    system,
    locale,
    lengths,
    email,
    loginEmail: values.email ?? params.login_hint ?? (isAccountClient ? email : undefined),
    links: linksOf(uid, found?.open === true),
    providers: providersOf(parts.config, uid),
    passkey: step === 'login' ? passkeyOf(parts, uid) : undefined,
    factor: user && (await readFactorStep(parts, { uid, step: prompt.name, user, system, userAgent })),
    registration: isRegistrationStep(step)
      ? {
          step,
          uid,
          lengths,
          values,
          registration,
          multiAccount: found?.multiAccount === true,
          email: values.email ?? email,
        }
      : undefined,
    sentences: sentencesOf(state, locale),
  }
}

/** The built-in client of /account is no system: its pages display the host name. */
export const lookOf = (
  { BASE_URL }: Config,
  system: Pick<Client, 'name' | 'branding'> | undefined,
): SystemLook => (system ? { name: system.name, ...system.branding } : { name: new URL(BASE_URL).hostname })

const providersOf = ({ social }: Config, uid: string): ProviderLink[] =>
  social.map(({ id, name }) => ({ id, name, url: `/social/${id}/login?${new URLSearchParams({ uid })}` }))

const linksOf = (uid: string, open: boolean): StepView['links'] => ({
  ...(open && { register: `/interaction/${uid}/register` }),
  forgotPassword: `/interaction/${uid}/forgot-password`,
})
