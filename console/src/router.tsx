/**
 * The pages by their paths below /console. The first segment is the context: `platform`, `system:<id>` or
 * `account:<id>`. Search parameters contain what a page shows: filters, page number, tab, open dialog.
 */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { DonePage } from './shell/DonePage.tsx'
import { NotFound, RouteFailure } from './shell/NotFound.tsx'
import { RootPage } from './shell/RootPage.tsx'
import { Shell } from './shell/Shell.tsx'

/** Filters and the page of a list, as they are in the address. */
export type ListSearch = Record<string, string | number | undefined>

const listSearch = (search: Record<string, unknown>): ListSearch =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number'
        ? [[name, value]]
        : typeof value === 'boolean'
          ? [[name, String(value)]]
          : [],
    ),
  )

const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: RouteFailure })
const index = createRoute({ getParentRoute: () => root, path: '/', component: RootPage })
const done = createRoute({ getParentRoute: () => root, path: '/done', component: DonePage })
const context = createRoute({
  getParentRoute: () => root,
  path: '/$context',
  component: Shell,
  beforeLoad: ({ params }) => {
    if (!/^(platform|(system|account):[0-9a-f-]{36})$/.test(params.context)) throw redirect({ to: '/' })
  },
})

type Load = Parameters<typeof lazyRouteComponent>[0]

/** A page that is loaded when it is first shown. */
const page = <Path extends string>(path: Path, load: Load, name: string) =>
  createRoute({
    getParentRoute: () => context,
    path,
    validateSearch: listSearch,
    component: lazyRouteComponent(load, name),
  })

const pages = [
  page('/', () => import('./pages/home/HomePage.tsx'), 'HomePage'),
  page('explain', () => import('./pages/explain/ExplainPage.tsx'), 'ExplainPage'),
  page('installation', () => import('./pages/installation/InstallationPage.tsx'), 'InstallationPage'),
  page('live', () => import('./pages/live/LivePage.tsx'), 'LivePage'),
  page('users', () => import('./pages/users/UsersPage.tsx'), 'UsersPage'),
  page('users/$userId', () => import('./pages/users/UserPage.tsx'), 'UserPage'),
  page('accounts', () => import('./pages/accounts/AccountsPage.tsx'), 'AccountsPage'),
  page('accounts/$accountId', () => import('./pages/accounts/AccountPage.tsx'), 'AccountPage'),
  page('import', () => import('./pages/import/ImportPage.tsx'), 'ImportPage'),
  page('members', () => import('./pages/members/MembersPage.tsx'), 'MembersPage'),
  page('invitations', () => import('./pages/invitations/InvitationsPage.tsx'), 'InvitationsPage'),
  page(
    'service-accounts',
    () => import('./pages/service-accounts/ServiceAccountsPage.tsx'),
    'ServiceAccountsPage',
  ),
  page('approvals', () => import('./pages/approvals/ApprovalsPage.tsx'), 'ApprovalsPage'),
  page('sessions', () => import('./pages/sessions/SessionsPage.tsx'), 'SessionsPage'),
  page('audit', () => import('./pages/audit/AuditPage.tsx'), 'AuditPage'),
  page('systems', () => import('./pages/systems/SystemsPage.tsx'), 'SystemsPage'),
  page('systems/$systemId', () => import('./pages/systems/SystemPage.tsx'), 'SystemPage'),
  page('webhooks', () => import('./pages/webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
  page('webhooks/$systemId/$webhookId', () => import('./pages/webhooks/WebhookPage.tsx'), 'WebhookPage'),
  page('settings', () => import('./pages/systems/SystemPage.tsx'), 'SystemPage'),
] as const

export const router = createRouter({
  routeTree: root.addChildren([index, done, context.addChildren(pages)]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
