import { type Catalog, type Locale, textsOf } from '../texts.ts'

export type OwnTexts = Catalog['account']
export const ownTexts = (locale: Locale): OwnTexts => textsOf(locale, 'account')
