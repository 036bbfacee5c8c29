/** In PostgreSQL's format, which ajv-formats widens by `urn:uuid:`. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a value is a UUID as text, in letters of any case (RFC 9562 section 4). */
export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value)
