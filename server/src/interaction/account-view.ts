/** The step of the account selection, as a page and as JSON. */
import { allowsAnotherUser, type Interaction } from '../oidc/interaction.ts'
import { NEW_ACCOUNT } from '../oidc/policy/account-choice.ts'
import type { SelectionDetails } from '../oidc/policy/prompts.ts'
import { LANGUAGE_TAGS, type Locale, textsOf } from '../texts/texts.ts'
import type { SystemLook } from '../ui/layout.ts'
import { type AccountChoice, accountPage } from '../ui/pages/account.ts'

/** The value of a choice that is an invitation; its id follows. */
export const INVITATION = 'invitation:'

/**
 * The account that was used last, then the others by name, `Team 2` before `Team 10`. Then the
 * invitations, and at last a new account.
 */
function accountChoices(details: Partial<SelectionDetails>, locale: Locale): AccountChoice[] {
  const { accounts = [], invitations = [], mayCreate } = details
  const { compare } = new Intl.Collator(LANGUAGE_TAGS[locale], { numeric: true })
  const times = accounts.map(({ lastUsedAt }) => Date.parse(lastUsedAt ?? '') || 0)
  const latest = Math.max(...times)
  const choices = accounts.map(({ id, name, kind }, index) => ({
    id,
    name,
    kind,
    ...(latest > 0 && times[index] === latest && { lastUsed: true }),
  }))
  choices.sort(
    (one, other) => Number(other.lastUsed ?? 0) - Number(one.lastUsed ?? 0) || compare(one.name, other.name),
  )
  const offers = invitations.map(({ id, accountName: name }) => ({
    id: `${INVITATION}${id}`,
    name,
    kind: 'invitation' as const,
  }))
  const own = { id: NEW_ACCOUNT, name: textsOf(locale).accountNew, kind: 'new' as const }
  return [...choices, ...offers, ...(mayCreate ? [own] : [])]
}

type Page = {
  locale: Locale
  system: SystemLook
  csrf: string
  email: string
  error: string | undefined
}

export function selectionPage({ uid, prompt }: Interaction, page: Page, exits: Exits): string {
  const details = prompt.details as Partial<SelectionDetails>
  return accountPage({
    ...page,
    ...exits,
    action: `/interaction/${uid}/account`,
    accounts: accountChoices(details, page.locale),
    blocked: details.blocked,
    pending: details.pending,
  })
}

/** Where a signed-in user leaves the sign-in, or signs in as another user. */
export type Exits = { abort: string; another: string | undefined }

export const exitsOf = (interaction: Interaction): Exits => ({
  abort: `/interaction/${interaction.uid}/abort`,
  another: allowsAnotherUser(interaction) ? `/interaction/${interaction.uid}/another` : undefined,
})

export function selectionFields({ prompt }: Interaction, locale: Locale) {
  const details = prompt.details as Partial<SelectionDetails>
  const options = accountChoices(details, locale)
  return {
    path: 'account',
    fields: [{ name: 'accountId', type: 'choice', required: true, options }],
    more: {
      ...(details.blocked !== undefined && { blocked: details.blocked }),
      ...(details.pending !== undefined && { pending: details.pending }),
    },
  }
}
