/** The step of the account selection, as a page and as JSON. */
import { isRead } from '../http/methods.ts'
import { allowsAnotherUser, type Interaction, type SignInStep } from '../oidc/interaction.ts'
import { NEW_ACCOUNT } from '../oidc/policy/account-choice.ts'
import type { ConsentDetails } from '../oidc/policy/consent.ts'
import type { SelectionDetails } from '../oidc/policy/prompts.ts'
import { ACCOUNTS_SHOWN, findLooks, findSelectable } from '../resources/sign-ins/access.ts'
import { LANGUAGE_TAGS, type Locale, textsOf } from '../texts/texts.ts'
import type { OrganizationLook } from '../ui/avatar.ts'
import type { SystemLook } from '../ui/layout.ts'
import { type AccountChoice, accountPage } from '../ui/pages/account.ts'

/** The value of a choice that is an invitation; its id follows. */
export const INVITATION = 'invitation:'

/**
 * The account that was used last, then the others by name, `Team 2` before `Team 10`. Then the
 * invitations, and at last a new account.
 */
function accountChoices(
  details: Partial<SelectionDetails>,
  locale: Locale,
  found: AccountSearch | undefined,
  looks: Looks,
): AccountChoice[] {
  const { compare } = new Intl.Collator(LANGUAGE_TAGS[locale], { numeric: true })
  const lookOf = ({ id }: { id: string }) => ({ ...looks.get(id) })
  if (found?.accounts)
    return found.accounts
      .toSorted((one, other) => compare(one.name, other.name))
      .map((each) => ({ ...each, ...lookOf(each) }))
  const { accounts = [], invitations = [], mayCreate } = details
  const times = accounts.map(({ lastUsedAt }) => Date.parse(lastUsedAt ?? '') || 0)
  const latest = Math.max(...times)
  const choices = accounts.map(({ id, name, kind }, index) => ({
    id,
    name,
    kind,
    ...lookOf({ id }),
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
  const own = { id: NEW_ACCOUNT, name: textsOf(locale).organizationNew, kind: 'new' as const }
  return [...choices, ...offers, ...(mayCreate ? [own] : [])]
}

/** What was searched for among more accounts than the page shows. `accounts`: undefined without a search. */
export type AccountSearch = { text: string; accounts: AccountChoice[] | undefined; hasMore: boolean }

/** Undefined where the page shows all accounts. */
async function readSearch({ parts, request, interaction }: SignInStep, systemId: string | null) {
  const { more } = interaction.prompt.details as Partial<SelectionDetails>
  const userId = interaction.session?.accountId
  if (!more || userId === undefined || systemId === null) return undefined
  const { search } = request.query as { search?: unknown }
  const text = typeof search === 'string' && isRead(request) ? search.slice(0, SEARCH_MAX).trim() : ''
  if (text === '' || text.includes('\0')) return { text: '', accounts: undefined, hasMore: true }
  const found = await findSelectable(parts.db, { userId, systemId }, text)
  const hasMore = found.length > ACCOUNTS_SHOWN
  return { text, accounts: found.slice(0, ACCOUNTS_SHOWN), hasMore } satisfies AccountSearch
}

/** In characters: those of a name. */
const SEARCH_MAX = 100

/** What the user sees of the accounts that the page shows. */
type Looks = ReadonlyMap<string, OrganizationLook>

/**
 * `found`: where the page does not show all accounts. `looks`: of accounts in which the user is active now,
 * since the list may be older. A membership that somebody else has created has none until its user has
 * accepted it.
 */
export type AccountsView = { found: AccountSearch | undefined; looks: Looks }

export async function readAccounts(
  step: SignInStep,
  userId: string | undefined,
  systemId: string | null,
): Promise<AccountsView> {
  const { parts, interaction } = step
  const found = interaction.prompt.name === 'select_account' ? await readSearch(step, systemId) : undefined
  const ids = shownAccounts(interaction, found)
  return { found, looks: userId === undefined ? new Map() : await findLooks(parts.db, userId, ids) }
}

/** The ids of the accounts that a step shows. */
function shownAccounts({ prompt }: Interaction, found: AccountSearch | undefined): string[] {
  const { accounts = [] } = prompt.details as Partial<SelectionDetails>
  if (prompt.name === 'select_account') return (found?.accounts ?? accounts).map(({ id }) => id)
  const { account, entry } = prompt.details as Partial<ConsentDetails>
  return prompt.name === 'consent' && account && !entry ? [account.id] : []
}

type Page = {
  locale: Locale
  system: SystemLook
  csrf: string
  email: string
  error: string | undefined
}

export function selectionPage(
  { uid, prompt }: Interaction,
  { found, looks, ...page }: Page & AccountsView,
  exits: Exits,
): string {
  const details = prompt.details as Partial<SelectionDetails>
  return accountPage({
    ...page,
    ...exits,
    action: `/interaction/${uid}/account`,
    accounts: accountChoices(details, page.locale, found, looks),
    ...(found && { search: { action: `/interaction/${uid}`, ...found } }),
    lost: details.lost,
    pending: details.pending,
  })
}

/** Where a signed-in user leaves the sign-in, or signs in as another user. */
export type Exits = { abort: string; another: string | undefined }

export const exitsOf = (interaction: Interaction): Exits => ({
  abort: `/interaction/${interaction.uid}/abort`,
  another: allowsAnotherUser(interaction) ? `/interaction/${interaction.uid}/another` : undefined,
})

export function selectionFields({ prompt }: Interaction, locale: Locale, { found, looks }: AccountsView) {
  const details = prompt.details as Partial<SelectionDetails>
  const options = accountChoices(details, locale, found, looks)
  return {
    path: 'account',
    fields: [{ name: 'accountId', type: 'choice', required: true, options }],
    more: {
      ...(found?.hasMore && { hasMore: true }),
      ...(details.lost && { [details.lost.status]: details.lost.name }),
      ...(details.pending !== undefined && { pending: details.pending }),
    },
  }
}
