/** What a snippet is filled with. */
export type Given = {
  issuer: string
  clientId: string
  /** Where the application receives the code; an example if none is configured. */
  redirectUri: string
  /** `web` has a secret, `public` has none, `service` has no users. */
  kind: 'web' | 'public' | 'service'
  /** Those that the application can request. */
  scopes: readonly string[]
  /** Whether a user can have several accounts. */
  multiAccount: boolean
}

export type Snippet = {
  /** The name of the language or tool. */
  title: string
  /** What is installed first. */
  install?: (given: Given) => string
  code: (given: Given) => string
  /** The file of the code. */
  file?: string
  /** What is typed to start it. */
  start?: (given: Given) => string
  kinds: readonly Given['kind'][]
}

/** What is wrong most often, as the text of a comment. */
export const partitionNote = ({ multiAccount }: Given): string[] =>
  multiAccount
    ? [
        'Partition your data by account_id, never by sub:',
        'sub is the same in every organization of the user.',
      ]
    : [
        'Partition your data by account_id, never by sub:',
        'then nothing changes if users get several accounts later.',
      ]

/** The path of a URI; '/callback' for an address of an app. */
export const pathOf = (uri: string): string => (/^https?:/.test(uri) ? new URL(uri).pathname : '/callback')

/** The URI without its path. */
export const originOf = (uri: string): string =>
  /^https?:/.test(uri) ? new URL(uri).origin : 'http://localhost:8080'

/** Whether the server is reached without TLS, as on the machine of a developer. */
export const isPlain = ({ issuer }: Given): boolean => issuer.startsWith('http:')

/** Each text as a line comment. */
export const comment = (sign: string, lines: readonly string[], indent = ''): string =>
  lines.map((line) => `${indent}${sign} ${line}`.trimEnd()).join('\n')
