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
import { idOf, preload } from './api/queries.ts'
import { accountQueries, accountSearch, accountsQueries, accountsSearch } from './pages/accounts/address.ts'
import { approvalsQueries, approvalsSearch } from './pages/approvals/address.ts'
import { auditQueries, auditSearch } from './pages/audit/address.ts'
import { connectionQueries, connectionSearch } from './pages/connections/address.ts'
import { explainQueries, explainSearch } from './pages/explain/address.ts'
import { homeQueries, homeSearch } from './pages/home/address.ts'
import { HomePage } from './pages/home/HomePage.tsx'
import { installationQueries, installationSearch } from './pages/installation/address.ts'
import { invitationsQueries, invitationsSearch } from './pages/invitations/address.ts'
import { membersQueries, membersSearch } from './pages/members/address.ts'
import { serviceAccountsQueries } from './pages/service-accounts/address.ts'
import { sessionsQueries, sessionsSearch } from './pages/sessions/address.ts'
import { singleSignOnQueries } from './pages/single-sign-on/address.ts'
import { systemQueries, systemSearch, systemsQueries, systemsSearch } from './pages/systems/address.ts'
import { userQueries, userSearch, usersQueries, usersSearch } from './pages/users/address.ts'
import { webhookQueries, webhookSearch, webhooksQueries, webhooksSearch } from './pages/webhooks/address.ts'
import { DonePage } from './shell/DonePage.tsx'
import { NotFound, RouteFailure } from './shell/NotFound.tsx'
import { RootPage } from './shell/RootPage.tsx'
import { Shell } from './shell/Shell.tsx'

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

/** A loader runs again when the parameters change. */
const loaderDeps = <Search,>({ search }: { search: Search }) => search

const home = createRoute({
  getParentRoute: () => context,
  path: '/',
  validateSearch: homeSearch,
  loaderDeps,
  loader: ({ params: { context }, deps: search }) => preload(homeQueries(context, search)),
  component: HomePage, // the page that most visits begin with: it is loaded with the first script
})
const explain = createRoute({
  getParentRoute: () => context,
  path: 'explain',
  validateSearch: explainSearch,
  loaderDeps,
  loader: ({ params: { context }, deps: search }) => preload(explainQueries(context, search)),
  component: lazyRouteComponent(() => import('./pages/explain/ExplainPage.tsx'), 'ExplainPage'),
})
const installation = createRoute({
  getParentRoute: () => context,
  path: 'installation',
  validateSearch: installationSearch,
  loaderDeps,
  loader: ({ params: { context }, deps: search }) => preload(installationQueries(context, search)),
  component: lazyRouteComponent(
    () => import('./pages/installation/InstallationPage.tsx'),
    'InstallationPage',
  ),
})
const live = createRoute({
  getParentRoute: () => context,
  path: 'live',
  component: lazyRouteComponent(() => import('./pages/live/LivePage.tsx'), 'LivePage'),
})
const users = createRoute({
  getParentRoute: () => context,
  path: 'users',
  validateSearch: usersSearch,
  loaderDeps,
  loader: ({ params: { context }, deps: search }) => preload(usersQueries(context, search)),
  component: lazyRouteComponent(() => import('./pages/users/UsersPage.tsx'), 'UsersPage'),
})
const user = createRoute({
  getParentRoute: () => context,
  path: 'users/$userId',
  validateSearch: userSearch,
  loaderDeps,
  loader: ({ params: { context, userId }, deps: search }) => preload(userQueries(context, userId, search)),
  component: lazyRouteComponent(() => import('./pages/users/UserPage.tsx'), 'UserPage'),
})
const accounts = createRoute({
  getParentRoute: () => context,
  path: 'accounts',
  validateSearch: accountsSearch,
  loaderDeps,
  loader: ({ params: { context }, deps: search }) => preload(accountsQueries(context, search)),
  component: lazyRouteComponent(() => import('./pages/accounts/AccountsPage.tsx'), 'AccountsPage'),
})
const account = createRoute({
  getParentRoute: () => context,
  path: 'accounts/$accountId',
  validateSearch: accountSearch,
  loaderDeps,
  loader: ({ params: { context, accountId }, deps: search }) =>
    preload(accountQueries(context, accountId, search)),
  component: lazyRouteComponent(() => import('./pages/accounts/AccountPage.tsx'), 'AccountPage'),
})
const connection = createRoute({
  getParentRoute: () => context,
  path: 'accounts/$accountId/connections/$connectionId',
  validateSearch: connectionSearch,
  loaderDeps,
  loader: ({ params: { context, accountId, connectionId }, deps: search }) =>
    preload(connectionQueries(context, { accountId, connectionId }, search)),
  component: lazyRouteComponent(() => import('./pages/connections/ConnectionPage.tsx'), 'ConnectionPage'),
})
const singleSignOn = createRoute({
  getParentRoute: () => context,
  path: 'single-sign-on',
  loader: ({ params: { context } }) => preload(singleSignOnQueries(context)),
  component: lazyRouteComponent(
    () => import('./pages/single-sign-on/SingleSignOnPage.tsx'),
    'SingleSignOnPage',
  ),
})
const imports = createRoute({
  getParentRoute: () => context,
  path: 'import',
  component: lazyRouteComponent(() => import('./pages/import/ImportPage.tsx'), 'ImportPage'),
})
const members = createRoute({
  getParentRoute: () => context,
  path: 'members',
  validateSearch: membersSearch,
  loaderDeps,
  loader: ({ params: { context }, deps: search }) => preload(membersQueries(context, search)),
  component: lazyRouteComponent(() => import('./pages/members/MembersPage.tsx'), 'MembersPage'),
})
const invitations = createRoute({
  getParentRoute: () => context,
  path: 'invitations',
  validateSearch: invitationsSearch,
  loaderDeps,
  loader: ({ params: { context }, deps: search }) => preload(invitationsQueries(context, search)),
  component: lazyRouteComponent(() => import('./pages/invitations/InvitationsPage.tsx'), 'InvitationsPage'),
})
const serviceAccounts = createRoute({
  getParentRoute: () => context,
  path: 'service-accounts',
  loader: ({ params: { context } }) => preload(serviceAccountsQueries(context)),
  component: lazyRouteComponent(
    () => import('./pages/service-accounts/ServiceAccountsPage.tsx'),
    'ServiceAccountsPage',
  ),
})
const approvals = createRoute({
  getParentRoute: () => context,
  path: 'approvals',
  validateSearch: approvalsSearch,
  loaderDeps,
  loader: ({ params: { context }, deps: search }) => preload(approvalsQueries(context, search)),
  component: lazyRouteComponent(() => import('./pages/approvals/ApprovalsPage.tsx'), 'ApprovalsPage'),
})
const sessions = createRoute({
  getParentRoute: () => context,
  path: 'sessions',
  validateSearch: sessionsSearch,
  loaderDeps,
  loader: ({ params: { context }, deps: search }) => preload(sessionsQueries(context, search)),
  component: lazyRouteComponent(() => import('./pages/sessions/SessionsPage.tsx'), 'SessionsPage'),
})
const audit = createRoute({
  getParentRoute: () => context,
  path: 'audit',
  validateSearch: auditSearch,
  loaderDeps,
  loader: ({ params: { context }, deps: search }) => preload(auditQueries(context, search)),
  component: lazyRouteComponent(() => import('./pages/audit/AuditPage.tsx'), 'AuditPage'),
})
const systems = createRoute({
  getParentRoute: () => context,
  path: 'systems',
  validateSearch: systemsSearch,
  loaderDeps,
  loader: ({ params: { context }, deps: search }) => preload(systemsQueries(context, search)),
  component: lazyRouteComponent(() => import('./pages/systems/SystemsPage.tsx'), 'SystemsPage'),
})
const system = createRoute({
  getParentRoute: () => context,
  path: 'systems/$systemId',
  validateSearch: systemSearch,
  loaderDeps,
  loader: ({ params: { context, systemId }, deps: search }) =>
    preload(systemQueries(context, systemId, search)),
  component: lazyRouteComponent(() => import('./pages/systems/SystemPage.tsx'), 'SystemPage'),
})
const settings = createRoute({
  getParentRoute: () => context,
  path: 'settings',
  validateSearch: systemSearch,
  loaderDeps,
  loader: ({ params: { context }, deps: search }) => preload(systemQueries(context, idOf(context), search)),
  component: lazyRouteComponent(() => import('./pages/systems/SystemPage.tsx'), 'SettingsPage'),
})
const webhooks = createRoute({
  getParentRoute: () => context,
  path: 'webhooks',
  validateSearch: webhooksSearch,
  loaderDeps,
  loader: ({ params: { context }, deps: search }) => preload(webhooksQueries(context, search)),
  component: lazyRouteComponent(() => import('./pages/webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
})
const webhook = createRoute({
  getParentRoute: () => context,
  path: 'webhooks/$systemId/$webhookId',
  validateSearch: webhookSearch,
  loaderDeps,
  loader: ({ params: { context, systemId, webhookId }, deps: search }) =>
    preload(webhookQueries(context, { systemId, webhookId }, search)),
  component: lazyRouteComponent(() => import('./pages/webhooks/WebhookPage.tsx'), 'WebhookPage'),
})

const pages = [
  home,
  explain,
  installation,
  live,
  users,
  user,
  accounts,
  account,
  connection,
  singleSignOn,
  imports,
  members,
  invitations,
  serviceAccounts,
  approvals,
  sessions,
  audit,
  systems,
  system,
  settings,
  webhooks,
  webhook,
] as const

export const router = createRouter({
  routeTree: root.addChildren([index, done, context.addChildren(pages)]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0, // the cache of the queries decides what is read again
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
