/** What people call their passkeys, so that they know which one is on the device they have lost. */

/** Characters. */
export const NAME_MAX = 64

/** On one line; none when nothing is left, or it is too long. */
export function readName(given: unknown): string | undefined {
  const name = typeof given === 'string' ? given.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim() : ''
  return name !== '' && [...name].length <= NAME_MAX ? name : undefined
}

/** As user agents name them, the telling ones first: each also says the names of those it is like. */
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

/** The browser and the system of a user agent, in two words; nobody depends on it. */
export function browserOf(userAgent: string | null): string | undefined {
  const found = (names: Record<string, string>) =>
    Object.entries(names).find(([part]) => userAgent?.includes(part))?.[1]
  return [found(BROWSERS), found(SYSTEMS)].filter((word) => word !== undefined).join(', ') || undefined
}

/** What a new passkey is called by who does not call it anything. */
export const usualName = (userAgent: string | null): string => browserOf(userAgent) ?? 'Passkey'
