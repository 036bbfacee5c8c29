/**
 * The text of a file. Excel saves CSV files in the encoding of Windows unless asked for UTF-8, and nothing in
 * such a file names it: decoded as UTF-8, each accented letter would be stored as U+FFFD. So a file that is
 * not UTF-8 is decoded only by an encoding that the user has chosen.
 */

/** Encodings of spreadsheets in Western, Central and Eastern Europe, Japan, and on the Mac (WHATWG names). */
export const ENCODINGS = ['windows-1252', 'windows-1250', 'windows-1251', 'shift_jis', 'macintosh'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Undefined if the bytes are no text in this encoding. A byte order mark is not a part of the text. */
function decode(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const startsWith = (bytes: Uint8Array, ...mark: number[]) => mark.every((byte, at) => bytes[at] === byte)

/** The text of a file whose bytes say how to decode them: UTF-8, or UTF-16 with a byte order mark. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (startsWith(bytes, 0xff, 0xfe)) return decode(bytes, 'utf-16le')
  if (startsWith(bytes, 0xfe, 0xff)) return decode(bytes, 'utf-16be')
  return decode(bytes, 'utf-8')
}

/** Characters of an example, on each side of the one that shows the encoding. */
const AROUND = 30

export type Candidate = { encoding: Encoding; text: string; example: string }

/** What the file says in each encoding, with a part of the text that differs between them. */
export const candidatesOf = (bytes: Uint8Array): Candidate[] =>
  ENCODINGS.flatMap((encoding) => {
    const text = decode(bytes, encoding)
    if (text === undefined) return []
    const at = Math.max(0, text.search(/[^\p{ASCII}]/u))
    const before = text
      .slice(Math.max(0, at - AROUND), at)
      .split(/[\r\n]/)
      .at(-1)
    const after = text.slice(at, at + AROUND).split(/[\r\n]/, 1)[0]
    return [{ encoding, text, example: `${before}${after}` }]
  })
