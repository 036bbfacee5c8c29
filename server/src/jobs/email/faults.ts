/** Why an email could not be sent: the error of the mail server as it is stored, and its kind. */

type SmtpError = Error & { code?: string; command?: string; response?: string; responseCode?: number }

/**
 * The fault as the operator reads it, without the server's own text, which may quote the email and its link.
 */
export function faultOf(error: unknown): string {
  const { code, command, response, responseCode, message } = error as SmtpError
  if (response === undefined) return [code, message].filter(Boolean).join(': ').slice(0, 300)
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1]
  return [code, `${responseCode ?? ''} ${enhanced ?? ''}`.trim(), command && `at ${command}`]
    .filter(Boolean)
    .join(' ')
}

/** Whether the server permanently rejects the recipient (RFC 5321 section 4.2.1: 5yz). */
export function isRefused(error: unknown): boolean {
  const { command, responseCode } = error as SmtpError
  return command === 'RCPT TO' && responseCode !== undefined && responseCode >= 500
}

export const FAULT_KINDS = [
  'host_unknown',
  'unreachable',
  'timeout',
  'encryption',
  'authentication',
  'sender',
  'recipient',
  'rejected',
  'expired',
  'other',
] as const
type FaultKind = (typeof FAULT_KINDS)[number]

/** The kinds by the text of `faultOf`; the first match counts. The codes are of Nodemailer and of Node.js. */
const SIGNS: [FaultKind, RegExp][] = [
  ['expired', /^expired /],
  ['sender', / at MAIL FROM$/],
  ['recipient', / at RCPT TO$/],
  ['authentication', /^(EAUTH|ENOAUTH|EOAUTH2)\b| at AUTH\b/],
  ['host_unknown', /^EDNS\b|\b(ENOTFOUND|EAI_AGAIN|ENODATA)\b/],
  ['timeout', /^ETIMEDOUT\b|\b(ETIMEDOUT|timeout|timed out)\b/i],
  ['encryption', /^(ETLS|EREQUIRETLS)\b|STARTTLS|certificate|\bSSL\b|\bTLS\b|wrong version number/i],
  ['unreachable', /\b(ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ECONNECTION|ESOCKET)\b/],
  ['rejected', /\b[45]\d\d\b/],
]

/** The kind of an error that `faultOf` has described. */
export const faultKindOf = (fault: string): FaultKind =>
  SIGNS.find(([, sign]) => sign.test(fault))?.[0] ?? 'other'
