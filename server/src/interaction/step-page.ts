/** The HTML page of a step. */
import { bdi, fill } from '../ui/html.ts'
import { textsOf } from '../ui/i18n/texts.ts'
import { type AccountChoice, accountPage } from '../ui/pages/account.ts'
import { consentPage } from '../ui/pages/consent.ts'
import { loginPage } from '../ui/pages/login.ts'
import { messagePage } from '../ui/pages/message.ts'
import { newPasswordPage } from '../ui/pages/new-password.ts'
import { factorPage } from './factor-view.ts'
import { registrationPage } from './registration-view.ts'
import type { StepView } from './step-view.ts'

export async function stepPage(view: StepView, csrf: string): Promise<string> {
  const { locale, system, sentences, factor, registration, interaction } = view
  const page = { locale, system, csrf, ...sentences }
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
      const { lengths } = view
      return newPasswordPage({ ...page, lead, action: action('change-password'), hidden: { csrf }, lengths })
    }
    case 'select_account': {
      const accounts = (details.accounts ?? []) as AccountChoice[]
      return accountPage({ ...page, action: action('account'), accounts })
    }
    case 'consent': {
      const { account, scopes = [] } = details as { account?: { name: string }; scopes?: string[] }
      const returnsTo = hostOf(params.redirect_uri)
      return consentPage({ ...page, action: action('consent'), account, scopes, returnsTo })
    }
    case 'access': {
      const kind = details.reason === 'pending' ? 'pending' : 'blocked'
      return messagePage({ locale, kind, system, email, next: { action: action('abort'), csrf } })
    }
    default: {
      const { passkey, providers, links, loginEmail } = view
      const values = { email: loginEmail }
      return loginPage({ ...page, action: action('login'), values, passkey, providers, links })
    }
  }
}

const hostOf = (redirectUri: string | undefined) =>
  redirectUri === undefined ? undefined : URL.parse(redirectUri)?.host || undefined
