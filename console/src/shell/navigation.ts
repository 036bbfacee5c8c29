import type { ContextEntry, ContextKind } from '../api/queries.ts'
import type { IconName } from '../parts/Icon.tsx'
import type { ContextPage } from '../parts/links.ts'
import type { texts } from '../texts/texts.ts'

type Entry = {
  /** Below the context. */
  path: ContextPage
  text: keyof typeof texts.shell & string
  icon: IconName
  contexts: readonly ContextKind[]
  /** After `g`. */
  key?: string
  /** Whether it is of use in a context of the user. */
  isOf?: (own: ContextEntry | undefined) => boolean
}

const ALL = ['platform', 'system', 'account'] as const
const NO_ACCOUNT = ['platform', 'system'] as const

/** The pages of each context, in groups. */
const NAVIGATION: readonly (readonly Entry[])[] = [
  [
    { path: '', text: 'home', icon: 'home', contexts: ALL, key: 'h' },
    { path: 'systems', text: 'systems', icon: 'apps', contexts: ['platform'], key: 's' },
    { path: 'explain', text: 'explain', icon: 'question', contexts: ALL, key: 'e' },
    { path: 'live', text: 'live', icon: 'pulse', contexts: NO_ACCOUNT, key: 'l' },
    { path: 'users', text: 'users', icon: 'user', contexts: NO_ACCOUNT, key: 'u' },
  ],
  [
    { path: 'accounts', text: 'accounts', icon: 'building', contexts: NO_ACCOUNT, key: 'o' },
    { path: 'members', text: 'members', icon: 'users', contexts: ALL, key: 'm' },
    { path: 'invitations', text: 'invitations', icon: 'envelope', contexts: ['account'], key: 'i' },
    {
      path: 'service-accounts',
      text: 'serviceAccounts',
      icon: 'code',
      contexts: ['account'],
      isOf: (own) => own?.hasServiceAccounts !== false,
    },
    { path: 'approvals', text: 'approvals', icon: 'check', contexts: ALL },
    { path: 'sessions', text: 'sessions', icon: 'clock', contexts: ALL },
    { path: 'webhooks', text: 'webhooks', icon: 'hook', contexts: NO_ACCOUNT, key: 'w' },
    { path: 'audit', text: 'audit', icon: 'list', contexts: ALL, key: 'a' },
  ],
  [{ path: 'installation', text: 'installation', icon: 'settings', contexts: ['platform'] }],
  [{ path: 'settings', text: 'settings', icon: 'settings', contexts: ['system'], key: 's' }],
]

/** The groups of a context, without those that are empty. `own`: the context as one of the user's own. */
export const navigationOf = (kind: ContextKind, own?: ContextEntry): Entry[][] =>
  NAVIGATION.map((group) =>
    group.filter(({ contexts, isOf }) => contexts.includes(kind) && (isOf?.(own) ?? true)),
  ).filter((group) => group.length > 0)
