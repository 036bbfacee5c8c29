/** The effective settings as operators read them: without any secret. */

import { type Config, SETTINGS } from '../../config/config.ts'
import { withoutPassword } from '../../config/postgres-url.ts'
import { SECRETS, URL_SETTINGS } from '../../config/secret-files.ts'

type ShownSetting = { name: string; value: string | null; isDefault: boolean; secret: boolean }

const textOf = (value: unknown): string | null =>
  value === undefined || value === null ? null : Array.isArray(value) ? value.join(',') : String(value)

/** A new setting with a secret must be added to `config/secret-files.ts`. */
export function shownSettings(config: Config): ShownSetting[] {
  return Object.entries(SETTINGS).map(([name, { parse }]) => {
    const value = textOf(config[name as keyof Config])
    const secret = SECRETS.has(name)
    const isDefault = value === defaultOf(parse)
    if (secret) return { name, value: value === null ? null : 'set', isDefault, secret }
    return {
      name,
      value: value !== null && URL_SETTINGS.has(name) ? withoutPassword(value) : value,
      isDefault,
      secret,
    }
  })
}

function defaultOf(parse: (text: undefined) => unknown): string | null {
  try {
    return textOf(parse(undefined))
  } catch {
    return null // required
  }
}
