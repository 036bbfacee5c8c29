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

/** `title`: what its pages are about; in one context, another word may fit. The first group has none. */
type Group = {
  title?: keyof typeof texts.shell & string
  titles?: Partial<Record<ContextKind, keyof typeof texts.shell & string>>
  entries: readonly Entry[]
}

/** The pages of each context, in groups. */
const NAVIGATION: readonly Group[] = [
  { entries: [{ path: '', text: 'home', icon: 'home', contexts: ALL, key: 'h' }] },
  {
    title: 'systems',
    titles: { system: 'system' },
    entries: [
      { path: 'systems', text: 'systems', icon: 'apps', contexts: ['platform'], key: 's' },
      { path: 'settings', text: 'settings', icon: 'settings', contexts: ['system'], key: 's' },
      { path: 'webhooks', text: 'webhooks', icon: 'hook', contexts: NO_ACCOUNT, key: 'w' },
    ],
  },
  {
    title: 'people',
    entries: [
      { path: 'users', text: 'users', icon: 'user', contexts: NO_ACCOUNT, key: 'u' },
      { path: 'sessions', text: 'sessions', icon: 'clock', contexts: NO_ACCOUNT },
    ],
  },
  {
    title: 'accounts',
    titles: { account: 'account' },
    entries: [
      { path: 'accounts', text: 'accounts', icon: 'building', contexts: NO_ACCOUNT, key: 'o' },
      { path: 'members', text: 'members', icon: 'users', contexts: ALL, key: 'm' },
      { path: 'invitations', text: 'invitations', icon: 'envelope', contexts: ['account'], key: 'i' },
      { path: 'approvals', text: 'approvals', icon: 'check', contexts: ALL },
      {
        path: 'single-sign-on',
        text: 'singleSignOn',
        icon: 'badge',
        contexts: ['account'],
        isOf: (own) => own?.hasSso !== false,
      },
      {
        path: 'service-accounts',
        text: 'serviceAccounts',
        icon: 'code',
        contexts: ['account'],
        isOf: (own) => own?.hasServiceAccounts !== false,
      },
      { path: 'sessions', text: 'sessions', icon: 'clock', contexts: ['account'] },
    ],
  },
  {
    title: 'activity',
    entries: [
      { path: 'explain', text: 'explain', icon: 'question', contexts: ALL, key: 'e' },
      { path: 'live', text: 'live', icon: 'pulse', contexts: NO_ACCOUNT, key: 'l' },
      { path: 'audit', text: 'audit', icon: 'list', contexts: ALL, key: 'a' },
    ],
  },
  {
    title: 'installation',
    entries: [{ path: 'installation', text: 'settings', icon: 'settings', contexts: ['platform'] }],
  },
]

type Shown = { title: Group['title'] | undefined; entries: Entry[] }

/** The groups of a context, without those that are empty. `own`: the context as one of the user's own. */
export const navigationOf = (kind: ContextKind, own?: ContextEntry): Shown[] =>
  NAVIGATION.map(({ title, titles, entries }) => ({
    title: titles?.[kind] ?? title,
    entries: entries.filter(({ contexts, isOf }) => contexts.includes(kind) && (isOf?.(own) ?? true)),
  })).filter(({ entries }) => entries.length > 0)

/** The pages of a context. */
export const pagesOf = (kind: ContextKind, own?: ContextEntry): Entry[] =>
  navigationOf(kind, own).flatMap(({ entries }) => entries)
