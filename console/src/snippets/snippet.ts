/** What a snippet is filled with. */
export type SnippetInput = {
  issuer: string
  clientId: string
  /** Where the application receives the code; an example if none is configured. */
  redirectUri: string
  /** Where a user may continue after the sign-out; absent if the application has no such address. */
  signOutUri?: string
  /** `web` has a secret, `public` has none, `service` has no users. */
  kind: 'web' | 'public' | 'service'
  /** The scopes that the application can request. */
  scopes: readonly string[]
  /** Whether a user can have several accounts. */
  multiAccount: boolean
}

export type File = { name: string; code: string }

export type SnippetText = {
  /** The name of the language or tool. */
  title: string
  /** Where the application runs; http://localhost:8080 if absent. */
  origin?: string
  /** The path of the redirect URI, if the library has one of its own. */
  callback?: string
  /** What is installed first. */
  install?: (given: SnippetInput) => string
  /** Commands for a terminal instead of files. */
  commands?: (given: SnippetInput) => string
  files?: (given: SnippetInput) => File[]
  /** What is typed to start it. */
  start?: (given: SnippetInput) => string
  kinds: readonly SnippetInput['kind'][]
}

/** The redirect URI that a snippet is for, if the application has none. */
export const exampleOf = ({
  origin = 'http://localhost:8080',
  callback = '/callback',
}: SnippetText): string => origin + callback

/** Whether a URI cannot be code in any sample: an operator executes what a system has configured. */
export const isHarmless = (uri: string): boolean => /^[\w.~:/?=%[\]-]+$/.test(uri)

/** The redirect URI of the application that the library can use. */
export const redirectUriOf = (
  { callback }: SnippetText,
  redirectUris: readonly string[],
): string | undefined =>
  redirectUris.filter(isHarmless).find((uri) => callback === undefined || pathOf(uri) === callback)

/** What is wrong most often, as the text of a comment. */
export const partitionNote = ({ multiAccount }: SnippetInput): string[] =>
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

/** The port of the redirect URI; that of an example if the URI names none, as behind a proxy. */
export const portOf = ({ redirectUri }: SnippetInput): string => new URL(originOf(redirectUri)).port || '8080'

/** Whether the server is reached without TLS, as on the machine of a developer. */
export const isPlain = ({ issuer }: SnippetInput): boolean => issuer.startsWith('http:')

/** Each text as a line comment. */
export const comment = (sign: string, lines: readonly string[], indent = ''): string =>
  lines.map((line) => `${indent}${sign} ${line}`.trimEnd()).join('\n')
