/** The introduction of the API reference, in Markdown. */
export const INTRODUCTION = `OpenID Connect identity and access management for multi-tenant products.

## Authentication

The operations under \`/admin\` require an access token whose claim \`is_admin\` is true, as
\`Authorization: Bearer <token>\`. A backend receives one from \`POST /token\` with the grant \`client_credentials\`. The
token has one of three authorities: \`platform\` reaches everything, \`system\` (a service token) one system, \`account\` (a
user token with an admin role) one account of a system. Each operation lists the authorities that may call it; a token
with another authority receives 403 \`insufficient_authority\`. A resource beyond the reach of the token is 404, as if it
did not exist.

## Requests

Request bodies are JSON in UTF-8, that of a \`PATCH\` also as \`application/merge-patch+json\` (RFC 7396); those of the
OAuth endpoints are forms (RFC 6749). A field that the operation does not have is an error under \`/admin\`. With
\`Prefer: handling=lenient\` (RFC 7240) such fields are ignored and listed in the response header \`Ignored-Fields\`, as
unknown query parameters are; with \`Prefer: handling=strict\` these are an error too. A \`PATCH\` may contain read-only
fields as the caller reads them; another value is an error, except for times, \`hasPassword\` and \`mfaEnabled\`, which are
ignored.

Lists take \`page\` and \`pageSize\`. To read a whole list, pass the \`nextCursor\` of each page as \`cursor\` of the next one, with
the same filters, until it is null: each item that exists during the whole walk is then read exactly once, even if others
are added or deleted meanwhile. With page numbers, items move to other pages. Lists have the newest item first; with
\`order=createdAt\` the oldest. A list with \`sort\` by a time that changes has no such guarantee.

Every \`POST\` under \`/admin\` accepts an \`Idempotency-Key\`. Every resource has an \`ETag\`; \`PATCH\` accepts \`If-Match\`, and
\`GET\` of one resource accepts \`If-None-Match\`.

## Errors

Errors are \`application/problem+json\` (RFC 9457). Switch on \`code\`, which never changes its meaning. For a request that
does not match its schema, \`errors\` lists the faults: \`path\` is a JSON Pointer to the value, \`/email\` in the body,
\`/query/page\` in the query string, \`/headers/if-match\` in the header fields.

The OAuth 2.0 endpoints respond with \`{"error", "error_description"}\` (RFC 6749 section 5.2) instead.

A known path with a method that it does not have is 405 \`method_not_allowed\`; the response header \`Allow\` lists the
methods. 429 and 503 have \`Retry-After\`.`
