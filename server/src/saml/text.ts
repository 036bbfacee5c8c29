/**
 * The part of XML that is read. What is outside of it is refused before a parser sees it: so the parser gets
 * no document type, entity, comment, CDATA section or processing instruction, and no tag that only a lenient
 * parser accepts. The time is linear in the length.
 */
import { isUtf8 } from 'node:buffer'
import { refuse } from './refusal.ts'

export type Limits = {
  /** Start and end tags. */
  tags: number
  attributes: number
  /** Of an element, with namespace declarations. */
  attributesOfElement: number
  depth: number
  /** Different names of elements: the parser searches the document for the end tag of each. */
  names: number
  prefixes: number
}

/** What was counted. The tree has to have as many. */
export type Counted = { elements: number; attributes: number }

const NAMESPACE_MAX = 200
const NAME_MAX = 100

const NAME = '[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?'
const START = new RegExp(`<(${NAME})`, 'y')
const ATTRIBUTE = new RegExp(`[ \\t\\n]+(${NAME})[ \\t\\n]*=[ \\t\\n]*(?:"([^"<]*)"|'([^'<]*)')`, 'y')
const START_END = /[ \t\n]*(\/?)>/y
const END = new RegExp(`</(${NAME})>`, 'y')

const DECLARATION =
  /^<\?xml version=(["'])1\.0\1(?: encoding=(["'])UTF-8\2)?(?: standalone=(["'])(?:yes|no)\3)? ?\?>/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const NOT_IN_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/
/** An `&` that begins none of the five entities of XML and no number. */
const UNKNOWN_ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)/
const NUMBERED = /&#(?:(\d{1,7})|x([\da-fA-F]{1,6}));/g
/** Characters that the canonical form and the parser write alike. */
const NAMESPACE_NAME = new RegExp(`^[!#-%'-;=?-~]{1,${NAMESPACE_MAX}}$`)

/** Names with a meaning of their own to a parser, which no document declares. In XHTML, `script` is text. */
const RESERVED = new Set([
  'http://www.w3.org/XML/1998/namespace',
  'http://www.w3.org/2000/xmlns/',
  'http://www.w3.org/1999/xhtml',
])

/** The text of UTF-8 without the XML declaration. Line ends are those of XML 1.0 (section 2.11). */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) refuse('saml_invalid', 'it is not UTF-8')
  return bytes.toString('utf8').replace(DECLARATION, '').replace(/\r\n?/g, '\n')
}

/** The parser takes these two for line ends, as XML 1.1 does. As references they are what they are. */
export const withoutOtherLineEnds = (text: string): string =>
  text.replace(/[\u0085\u2028]/g, (each) => `&#${each.codePointAt(0)};`)

/** Throws a refusal unless the text is one element of the part of XML that is read. */
export function countStrict(text: string, limits: Limits): Counted {
  checkCharacters(text)
  const open: string[] = []
  const names = new Set<string>()
  const prefixes = new Set<string>()
  const counted = { elements: 0, attributes: 0 }
  let tags = 0
  let at = 0
  while (at < text.length) {
    const tag = text.indexOf('<', at)
    const between = text.slice(at, tag < 0 ? undefined : tag)
    if (open.length === 0 && /[^ \t\n]/.test(between)) refuse('saml_invalid', 'text outside of the root')
    if (tag < 0) break
    if (++tags > limits.tags) refuse('saml_invalid', 'too many tags')
    END.lastIndex = tag
    const end = END.exec(text)
    if (end) {
      if (open.pop() !== end[1]) refuse('saml_invalid', 'an end tag without its start tag')
      at = END.lastIndex
      continue
    }
    if (open.length === 0 && counted.elements > 0) refuse('saml_invalid', 'two roots')
    const start = startTag(text, tag, limits, prefixes)
    at = start.end
    counted.elements++
    counted.attributes += start.attributes
    if (counted.attributes > limits.attributes) refuse('saml_invalid', 'too many attributes')
    if (names.add(start.name).size > limits.names) refuse('saml_invalid', 'too many names of elements')
    if (!start.isEmpty) open.push(start.name)
    if (open.length > limits.depth) refuse('saml_invalid', 'nested too deeply')
  }
  if (open.length > 0 || counted.elements === 0) refuse('saml_invalid', 'an element without its end')
  return counted
}

function checkCharacters(text: string): void {
  if (NOT_IN_XML.test(text)) refuse('saml_invalid', 'a character that XML does not have')
  if (text.includes('<!') || text.includes('<?') || text.includes(']]>'))
    refuse('saml_invalid', 'a document type, comment, CDATA section or instruction')
  if (UNKNOWN_ENTITY.test(text)) refuse('saml_invalid', 'an entity')
  for (const [, decimal, hexadecimal] of text.matchAll(NUMBERED)) {
    const code = decimal === undefined ? Number.parseInt(hexadecimal!, 16) : Number(decimal)
    const isCharacter = code <= 0x10_ffff && !(code >= 0xd800 && code <= 0xdfff)
    if (!isCharacter || NOT_IN_XML.test(String.fromCodePoint(code)))
      refuse('saml_invalid', 'the number of no character')
  }
}

type StartTag = { name: string; attributes: number; isEmpty: boolean; end: number }

function startTag(text: string, tag: number, limits: Limits, prefixes: Set<string>): StartTag {
  START.lastIndex = tag
  const name = START.exec(text)?.[1] ?? refuse('saml_invalid', 'a tag without a name')
  if (name.length > NAME_MAX) refuse('saml_invalid', 'a name that is too long')
  const given = new Set<string>()
  ATTRIBUTE.lastIndex = START.lastIndex
  let end = START.lastIndex
  for (let match = ATTRIBUTE.exec(text); match; match = ATTRIBUTE.exec(text)) {
    const [, attribute = '', quoted, apostrophed] = match
    if (given.has(attribute)) refuse('saml_invalid', 'an attribute twice')
    if (given.add(attribute).size > limits.attributesOfElement)
      refuse('saml_invalid', 'too many attributes of an element')
    if (attribute.length > NAME_MAX) refuse('saml_invalid', 'a name that is too long')
    if (/^xmlns/i.test(attribute)) checkNamespace(attribute, quoted ?? apostrophed ?? '', prefixes)
    if (prefixes.size > limits.prefixes) refuse('saml_invalid', 'too many prefixes')
    end = ATTRIBUTE.lastIndex
  }
  START_END.lastIndex = end
  const closed = START_END.exec(text) ?? refuse('saml_invalid', 'a tag without its end')
  return { name, attributes: given.size, isEmpty: closed[1] === '/', end: START_END.lastIndex }
}

/** `value` as it stands in the document. */
function checkNamespace(attribute: string, value: string, prefixes: Set<string>): void {
  const [, prefix] = /^xmlns(?::(.+))?$/.exec(attribute) ?? refuse('saml_invalid', 'a name that XML reserves')
  if (prefix !== undefined && /^xml/i.test(prefix)) refuse('saml_invalid', 'a name that XML reserves')
  if (!NAMESPACE_NAME.test(value) || RESERVED.has(value))
    refuse('saml_invalid', 'the name of a namespace that is not read')
  prefixes.add(prefix ?? '')
}
