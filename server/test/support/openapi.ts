/** The OpenAPI document of a server, with every reference resolved. No component contains itself. */
export async function readDocument<Document>(url: string): Promise<Document> {
  const document: unknown = await (await fetch(`${url}/openapi.json`)).json()
  const found = (pointer: string): unknown =>
    pointer
      .split('/')
      .slice(1)
      .reduce((value, step) => (value as Record<string, unknown>)[step], document)
  const resolved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolved)
    if (typeof value !== 'object' || value === null) return value
    const { $ref, ...rest } = value as { $ref?: string }
    const fields = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, resolved(each)]))
    return $ref === undefined ? fields : { ...(resolved(found($ref)) as object), ...fields }
  }
  return resolved(document) as Document
}
