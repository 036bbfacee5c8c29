/** The types of texts that are data: the files of server/locales and of console/src/locales. */
declare const placeholders: unique symbol

/**
 * A text with the placeholders `Name`, such as `{system}`. At run time it is a string. For the compiler it is
 * none, so that no page shows it without filling the placeholders.
 */
export type Message<Name extends string> = { readonly [placeholders]: Name }

/** A text without placeholders is both: a string, and a message that needs no values. */
export type Text<Name extends string> = [Name] extends [never] ? string & Message<never> : Message<Name>

/** The categories of the Unicode CLDR. Each language has `other` and those that its grammar needs. */
export const PLURAL_CATEGORIES = ['zero', 'one', 'two', 'few', 'many', 'other'] as const
export type PluralCategory = (typeof PLURAL_CATEGORIES)[number]

/** The forms of a text with a number. `{count}` is the number, `Name` the other placeholders. */
export type Plural<Name extends string> = {
  readonly [Category in PluralCategory]?: Message<Name | 'count'>
} & {
  readonly other: Message<Name | 'count'>
}

type IsPlural<Data> = Data extends { other: string }
  ? [Exclude<keyof Data, PluralCategory>] extends [never]
    ? true
    : false
  : false

type NamesOf<Names> = Names extends string ? Names : never

type Child<Parent, Key> = Key extends keyof Parent ? Parent[Key] : unknown

/** The texts of a file: `Data` is the type of the JSON, `Names` are the generated `Placeholders`. */
export type TextsOf<Data, Names> = Data extends string
  ? Text<NamesOf<Names>>
  : IsPlural<Data> extends true
    ? Plural<NamesOf<Names>>
    : { readonly [Key in keyof Data]: TextsOf<Data[Key], Child<Names, Key>> }

/** The keys of a section whose texts have no placeholders but `Name`. */
export type KeyOf<Section, Name extends string = never> = {
  [Key in keyof Section]: Section[Key] extends Message<Name> ? Key : never
}[keyof Section]

/** The text with its placeholders. */
export const templateOf = (message: Message<string>): string => message as unknown as string
