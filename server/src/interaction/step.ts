/**
 * A step of a sign-in: its route, the data of the required step, and its response as an HTML page or, for
 * products that draw their own pages, as JSON.
 */

import type { FastifyReply } from 'fastify'
import { newPasswordField, passwordLengths } from '../authentication/new-password.ts'
import { withMailLimit } from '../authentication/registration.ts'
import type { Config } from '../config/config.ts'
import { Failure } from '../errors.ts'
import { csrfToken, wantsJson } from '../http/forms-and-cookies.ts'
import { languageOf } from '../http/language.ts'
import { readShown, redirectToOutcome } from '../http/shown.ts'
import {
  type Interaction,
  placeOf,
  redirectToStep,
  type SignInStep,
  stepOf,
  submittedStep,
} from '../oidc/interaction.ts'
import type { ConsentDetails } from '../oidc/policy/consent.ts'
import type { FactorDetails } from '../oidc/policy/factor-details.ts'
import type { AccessDetails, ConfirmationDetails, ShownRefusal } from '../oidc/policy/prompts.ts'
import { findEnabledUser } from '../resources/sign-ins/queries.ts'
import { clientOf } from '../resources/systems/queries.ts'
import type { Waits } from '../resources/users/queries.ts'
import { type Locale, textsOf } from '../texts/texts.ts'
import { type Sentences, sentencesOf, stateAfter } from '../ui/forms.ts'
import { bdi, fill } from '../ui/html.ts'
import { pagePolicy, type SystemLook } from '../ui/layout.ts'
import { brandJson, lookOf } from '../ui/look.ts'
import { connectionsPage } from '../ui/pages/connection-sign-in.ts'
import { consentPage } from '../ui/pages/consent.ts'
import { type MessageKind, messagePage } from '../ui/pages/message.ts'
import { newPasswordPage } from '../ui/pages/new-password.ts'
import { type AccountsView, exitsOf, readAccounts, selectionFields, selectionPage } from './account-view.ts'
import { type FactorStep, factorFields, factorPage, readFactorStep } from './factor-view.ts'
import { goOn } from './going-on.ts'
import { type LoginState, type LoginView, loginJson, loginStepPage, readLogin } from './login-view.ts'
import {
  REGISTRATION_PATHS,
  type RegistrationStep,
  type RegistrationView,
  registrationFields,
  registrationPage,
} from './registration-view.ts'
import { readTest, type TestView, testFields, testPage } from './test-view.ts'

/** A route below /interaction/:uid. */
export type StepRoute = {
  method: 'GET' | 'POST'
  /** After the uid, such as `/login`. */
  path: string
  open: typeof stepOf
  handle: (step: SignInStep) => Promise<FastifyReply>
}

/** A page of a sign-in. */
export const stepPage = (path: string, handle: StepRoute['handle']): StepRoute => ({
  method: 'GET',
  path,
  open: stepOf,
  handle,
})

/** A form that is accepted at any prompt. */
export const anyForm = (path: string, handle: StepRoute['handle']): StepRoute => ({
  method: 'POST',
  path,
  open: submittedStep,
  handle,
})

/**
 * A form of one prompt (oidc/policy/prompts.ts). At any other prompt the browser is
 * redirected to the required step.
 */
export const stepForm = (path: string, prompt: string, handle: StepRoute['handle']): StepRoute =>
  anyForm(path, async (step) =>
    step.interaction.prompt.name === prompt ? handle(step) : redirectToStep(step),
  )

/**
 * `step`: shown instead of the login. `registration`: its id, sent back by the browser that has registered.
 */
export type StepState = LoginState & { step?: RegistrationStep; registration?: string }

/** Sends the required step as an HTML page or as JSON: `{step, action, system, fields, errors}`. */
export async function sendStep(step: SignInStep, state: StepState): Promise<FastifyReply> {
  const { parts, request, reply, interaction } = step
  const { uid, prompt } = interaction
  // What was typed is left out of an address that it would make too long.
  for (const shown of [state, { ...state, values: {} }]) {
    const outcome = { page: uid, shown: { prompt: prompt.name, state: shown }, status: state.status }
    const answer = redirectToOutcome(parts.seal, request, reply, {
      address: `/interaction/${uid}`,
      ...outcome,
    })
    if (answer) return answer
  }
  const view = await readStep(step, state)
  reply.code(state.status ?? 200)
  if (state.retryAfter !== undefined) reply.header('retry-after', String(state.retryAfter))
  if (wantsJson(request)) return reply.send(stepJson(view))
  if (view.login.goesOn) goOn(step, view.login.goesOn)
  const page = await viewPage(view, csrfToken(parts.seal, interaction.uid))
  const csp = pagePolicy({ logoUrl: view.system.logoUrl, forms: 'away', page })
  return reply.header('content-security-policy', csp).type('text/html').send(page)
}

/** The state in the address of the page, if it is one of the present step. */
export function shownState({ parts, request, interaction }: SignInStep): StepState | undefined {
  const { uid, prompt } = interaction
  const found = readShown<{ prompt: string; state: StepState }>(parts.seal, request, uid)
  return found?.shown.prompt === prompt.name ? stateAfter(found.shown.state, found.age) : undefined
}

type Mailing = { send: (waits: Waits) => Promise<unknown>; before: StepState; after: () => StepState }

/**
 * Sends an email that is requested without authentication, then shows `after`. If the network has requested
 * too many, it shows `before` with that error; a client that asks for JSON gets `too_many_requests`.
 */
export async function sendMailStep(
  step: SignInStep,
  { send, before, after }: Mailing,
): Promise<FastifyReply> {
  try {
    await withMailLimit(step.parts, step.request, send)
  } catch (error) {
    const isLimit = error instanceof Failure && error.code === 'too_many_requests'
    if (!isLimit || wantsJson(step.request)) throw error
    const { retryAfter } = error
    return sendStep(step, { ...before, status: 429, errors: { form: 'tooManyAttempts' }, retryAfter })
  }
  return sendStep(step, after())
}

/** The data of a step, for both representations. */
type StepView = {
  interaction: Interaction
  step: string
  system: SystemLook
  locale: Locale
  config: Config
  /** The address of the signed-in user. */
  email: string
  login: LoginView
  factor: FactorStep | undefined
  registration: RegistrationView | undefined
  test: TestView | undefined
  accounts: AccountsView
  sentences: Sentences
}

async function readStep(signInStep: SignInStep, state: StepState): Promise<StepView> {
  const { parts, request, interaction } = signInStep
  const { uid, prompt, params, session } = interaction
  const { values = {}, registration } = state
  const found = await clientOf(parts.db, params.client_id)
  const system = lookOf(parts.config, found)
  const user =
    session?.accountId === undefined
      ? undefined
      : await findEnabledUser(parts.db, session.accountId, placeOf(found).scope)
  const email = user?.email ?? ''
  const step = state.step ?? prompt.name
  const locale = languageOf(request, params.ui_locales)
  const { userAgent } = request.actor
  const login = await readLogin(signInStep, found, { at: step, state, user })
  return {
    interaction,
    step,
    system,
    locale,
    config: parts.config,
    email,
    login,
    factor:
      user &&
      (await readFactorStep(parts, {
        uid,
        step: prompt.name,
        user,
        system,
        systemId: placeOf(found).systemId,
        userAgent,
        scope: placeOf(found).scope,
        enrollment: (prompt.details as Partial<FactorDetails>).enrolls?.scope ?? null,
        account: (prompt.details as Partial<FactorDetails>).account,
        countedFor: (prompt.details as Partial<FactorDetails>).countedFor,
        confirms: ((prompt.details as Partial<ConfirmationDetails>).confirms ?? []).length > 0,
      })),
    registration: isRegistrationStep(step)
      ? {
          step,
          uid,
          lengths: passwordLengths(parts.config),
          values,
          registration,
          multiAccount: found?.multiAccount === true,
          email: values.email ?? email,
          another: exitsOf(interaction).another,
          providers: login.providers,
          connections: login.offer.connections,
        }
      : undefined,
    test: prompt.name === 'test' ? await readTest(parts, interaction) : undefined,
    accounts: await readAccounts(signInStep, user?.id, placeOf(found).systemId),
    sentences: sentencesOf(state, locale),
  }
}

const isRegistrationStep = (step: string): step is RegistrationStep => Object.hasOwn(REGISTRATION_PATHS, step)

async function viewPage(view: StepView, csrf: string): Promise<string> {
  const { locale, system, sentences, factor, registration, interaction, test, email } = view
  const page = { locale, system, csrf, ...sentences }
  if (test) return testPage(test, interaction, { locale, system, csrf, email })
  if (factor) return factorPage(factor, { ...page, uid: interaction.uid })
  return registration ? registrationPage(registration, page) : pageOfPrompt(view, csrf)
}

function pageOfPrompt(view: StepView, csrf: string): string {
  const { locale, system, email, interaction, sentences } = view
  const { uid, prompt, params } = interaction
  const { errors } = sentences
  const { details } = prompt
  const page = { locale, system, csrf, email, errors, error: errors.form }
  const action = (path: string) => `/interaction/${uid}/${path}`
  switch (prompt.name) {
    case 'change_password': {
      const lead = fill(textsOf(locale).changePasswordLead, { system: bdi(system.name) })
      const lengths = passwordLengths(view.config)
      return newPasswordPage({ ...page, lead, action: action('change-password'), hidden: { csrf }, lengths })
    }
    case 'select_account':
      return selectionPage(interaction, { ...page, ...view.accounts }, exitsOf(interaction))
    case 'consent': {
      const { account, scopes = [], claims = [], entry } = details as Partial<ConsentDetails>
      const returnsTo = hostOf(params.redirect_uri)
      const { another } = exitsOf(interaction)
      const look = account && view.accounts.looks.get(account.id)
      const consent = {
        account: account && { ...account, ...look },
        scopes,
        claims,
        entry,
        returnsTo,
        another,
      }
      return consentPage({ ...page, action: action('consent'), ...consent })
    }
    case 'connection':
      return connectionsPage({
        ...page,
        ...view.login.offer,
        exits: { csrf, ...exitsOf(interaction) },
        withoutFactor: details.reason !== undefined,
      })
    case 'access': {
      const { reason, account = '' } = details as AccessDetails
      const kind = ACCESS_MESSAGES[reason ?? 'none']
      const another = { csrf, another: exitsOf(interaction).another }
      const next = { action: action('abort'), csrf }
      return messagePage({ locale, kind, system, email, next, another, account })
    }
    default:
      return loginStepPage(view.login, { uid, notice: sentences.notice }, page)
  }
}

const ACCESS_MESSAGES = {
  pending: 'pending',
  blocked: 'blocked',
  suspended: 'suspended',
  none: 'noAccess',
} as const satisfies Record<ShownRefusal, MessageKind>

const hostOf = (redirectUri: string | undefined) =>
  redirectUri === undefined ? undefined : URL.parse(redirectUri)?.host || undefined

type Fields = { path: string; fields: object[]; more?: object }

/** The values of `fields` are sent to `action`. */
function stepJson(view: StepView) {
  const { interaction, step, system, factor, registration, test, login } = view
  const { details } = interaction.prompt
  const { path, fields, more }: Fields = factor
    ? factorFields(factor)
    : registration
      ? registrationFields(registration)
      : test
        ? testFields(test)
        : fieldsOfPrompt(view)
  return {
    step,
    action: `/interaction/${interaction.uid}/${path}`,
    system: brandJson(system),
    fields,
    ...more,
    ...loginJson(step, login),
    ...(step === 'consent' && consentJson(details as ConsentDetails)),
    ...((step === 'access' || step === 'connection') && { reason: details.reason }),
    errors: Object.entries(view.sentences.errors).map(([path, message]) => ({ path, message })),
  }
}

const consentJson = ({ account, scopes, claims, entry }: ConsentDetails) => ({
  account,
  scopes,
  claims,
  entry,
})

function fieldsOfPrompt({ step, interaction, config, locale, accounts, login }: StepView): Fields {
  switch (step) {
    case 'change_password':
      return { path: 'change-password', fields: [newPasswordField(passwordLengths(config))] }
    case 'select_account':
      return selectionFields(interaction, locale, accounts)
    case 'consent': {
      const options = [{ id: 'deny' }]
      return { path: 'consent', fields: [{ name: 'decision', type: 'choice', required: false, options }] }
    }
    case 'access':
    case 'connection':
      return { path: 'abort', fields: [] }
    default:
      return {
        path: 'login',
        fields: [
          { name: 'email', type: 'email', required: true, value: login.email ?? '' },
          { name: 'password', type: 'password', required: true },
        ],
      }
  }
}
