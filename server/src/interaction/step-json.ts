/** The JSON of a step, for products that draw their own sign-in pages. */
import { newPasswordField } from '../authentication/new-password.ts'
import { factorFields } from './factor-view.ts'
import { registrationFields } from './registration-view.ts'
import type { StepView } from './step-view.ts'

type Fields = { path: string; fields: object[]; more?: object }

/** The values of `fields` are sent to `action`. */
export function stepJson(view: StepView) {
  const { interaction, step, system, factor, registration, passkey, links, providers, sentences } = view
  const { details } = interaction.prompt
  const { path, fields, more } = factor
    ? factorFields(factor)
    : registration
      ? registrationFields(registration)
      : fieldsOfPrompt(view)
  return {
    step,
    action: `/interaction/${interaction.uid}/${path}`,
    system,
    fields,
    ...more,
    ...(passkey && { passkey }),
    ...(step === 'login' && { links, providers }),
    ...(step === 'consent' && { account: details.account, scopes: details.scopes }),
    ...(step === 'access' && { reason: details.reason }),
    errors: Object.entries(sentences.errors).map(([path, message]) => ({ path, message })),
  }
}

function fieldsOfPrompt({ step, interaction, lengths, loginEmail = '' }: StepView): Fields {
  switch (step) {
    case 'change_password':
      return { path: 'change-password', fields: [newPasswordField(lengths)] }
    case 'select_account': {
      const options = interaction.prompt.details.accounts ?? []
      return { path: 'account', fields: [{ name: 'accountId', type: 'choice', required: true, options }] }
    }
    case 'consent': {
      const options = [{ id: 'deny' }]
      return { path: 'consent', fields: [{ name: 'decision', type: 'choice', required: false, options }] }
    }
    case 'access':
      return { path: 'abort', fields: [] }
    default:
      return {
        path: 'login',
        fields: [
          { name: 'email', type: 'email', required: true, value: loginEmail },
          { name: 'password', type: 'password', required: true },
        ],
      }
  }
}
