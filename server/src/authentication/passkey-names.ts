/** Names of passkeys, by which users recognize the one of a lost device. */

/** Characters. */
export const NAME_MAX = 64

/** A name on one line; undefined if it is empty or too long. */
export function readPasskeyName(given: unknown): string | undefined {
  const name = typeof given === 'string' ? given.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim() : ''
  return name !== '' && [...name].length <= NAME_MAX ? name : undefined
}

/**
 * Parts of user agents, the most specific first: a user agent also contains the names of
 * browsers it is compatible with.
 */
const BROWSERS = {
  Edg: 'Edge',
  OPR: 'Opera',
  Firefox: 'Firefox',
  FxiOS: 'Firefox',
  Chrome: 'Chrome',
  CriOS: 'Chrome',
  Safari: 'Safari',
  curl: 'curl',
}
const SYSTEMS = {
  Windows: 'Windows',
  Android: 'Android',
  iPhone: 'iPhone',
  iPad: 'iPad',
  'Mac OS X': 'macOS',
  CrOS: 'ChromeOS',
  Linux: 'Linux',
}

/** The browser and operating system of a user agent, for display only. */
export function browserOf(userAgent: string | null): string | undefined {
  const found = (names: Record<string, string>) =>
    Object.entries(names).find(([part]) => userAgent?.includes(part))?.[1]
  return [found(BROWSERS), found(SYSTEMS)].filter((word) => word !== undefined).join(', ') || undefined
}

/** The name of a new passkey when the user gives none. */
export const defaultPasskeyName = (userAgent: string | null): string => browserOf(userAgent) ?? 'Passkey'
