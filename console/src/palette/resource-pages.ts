type Resource = { type: string; id: string; systemId: string | null }

/** The page of a resource in a context; undefined if it has none. */
export function pageOfResource(context: string, { type, id, systemId }: Resource): string | undefined {
  const pages: Record<string, string> = {
    user: `users/${id}`,
    system: context.startsWith('system:') ? 'settings' : `systems/${id}`,
    account: `accounts/${id}`,
    membership: `members?membership=${id}`,
    webhook: `webhooks/${systemId}/${id}`,
    session: `sessions?session=${encodeURIComponent(id)}`,
    request: `audit?requestId=${encodeURIComponent(id)}`,
  }
  const page = pages[type]
  return page && `/${context}/${page}`
}
