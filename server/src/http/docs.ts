/** How an operation is described in the OpenAPI document. */

/** The order of the OpenAPI document. */
export const TAGS = {
  systems: 'Client applications (OAuth 2.0 clients).',
  roles: 'Roles of a system. A membership has roles; they are in the access token.',
  profiles: 'Named sets of attributes of a system. A membership can have profiles.',
  webhooks: 'HTTPS endpoints that receive the events of a system.',
  users: 'User accounts, their credentials and their identities at other providers.',
  accounts: 'Tenants of a system: an organization, or the personal account of one user.',
  memberships: 'Links between a user and an account of a system, with status, roles and profiles.',
  invitations: 'Invitations of an email address to an organization.',
  serviceAccounts: 'Programs of a tenant, which get access tokens for its account by a key.',
  connections: 'Connections of an organization to its identity providers.',
  domains: 'Domains of email addresses that an organization has verified.',
  sessions: 'Active sessions of users.',
  search: 'Names of ids, and a search over all resources.',
  operators: 'Users who use the console for the installation or for one system.',
  audit: 'The audit log.',
  events: 'The event log, as pages and as a stream.',
  stats: 'Numbers of sign-ins, tokens, deliveries and active users.',
  jobs: 'Background jobs: the rest of changes that are too large for one transaction.',
  installation: 'The server itself: signing keys, queued email, settings.',
  oidc: 'OAuth 2.0 and OpenID Connect.',
  interaction: 'The steps of a sign-in, as pages and as JSON.',
  social: 'Sign-in with another identity provider.',
  health: 'Health checks.',
} as const

export type Tag = keyof typeof TAGS

export type Docs = {
  /** Unique in the document. Generated clients name their methods by it: never rename one. */
  operationId: string
  tag: Tag
  summary: string
  /** What the operation does, and what else happens: sessions that end, events, audit entries. Markdown. */
  description: string
  /** The description of the successful response. */
  success: string
  /** Example of the request body. */
  request?: unknown
  /** Example of the body of the successful response. */
  response?: unknown
  /** Responses that are neither the successful one nor a problem, by status. */
  others?: Record<number, { description: string; example?: unknown }>
}

/** The descriptions of the operations with one tag, by operationId. */
export const docsOf = <const Names extends string>(
  tag: Tag,
  operations: Record<Names, Omit<Docs, 'operationId' | 'tag'>>,
): Record<Names, Docs> =>
  Object.fromEntries(
    Object.entries<Omit<Docs, 'operationId' | 'tag'>>(operations).map(([operationId, docs]) => [
      operationId,
      { operationId, tag, ...docs, description: paragraphs(docs.description) },
    ]),
  ) as Record<Names, Docs>

/** The text without the line breaks and the indentation of the source. An empty line separates paragraphs. */
const paragraphs = (text: string) =>
  text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim().replace(/\s*\n\s*/g, ' '))
    .join('\n\n')

/** A page with one item, as an example. */
export const pageWith = (item: object) => ({
  data: [item],
  page: 1,
  pageSize: 20,
  total: 1,
  nextCursor: null,
})
