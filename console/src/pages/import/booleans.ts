/** How spreadsheets and people write true and false, in the languages of the console. */
const WORDS: Record<'true' | 'false', string> = {
  true: 'true t yes y 1 wahr ja j verdadero sí si s vrai oui verdadeiro sim 真 はい',
  false: 'false f no n 0 falsch nein falso faux non não nao 偽 いいえ',
}
const VALUES = new Map(
  (['true', 'false'] as const).flatMap((value) =>
    WORDS[value].split(' ').map((word) => [word, value === 'true'] as const),
  ),
)

/** Undefined for a word that is neither: it is no `false`. */
export const booleanOf = (text: string): boolean | undefined =>
  VALUES.get(text.trim().normalize('NFKC').toLowerCase())
