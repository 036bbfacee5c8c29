/** The tree of a document that `countStrict` accepts, and what is asked of it. */
import { DOMParser } from '@xmldom/xmldom'
import { refuse } from './refusal.ts'
import { type Counted, countStrict, type Limits, withoutOtherLineEnds } from './text.ts'

const [ELEMENT, TEXT] = [1, 3]
const NC_NAME = /^[A-Za-z_][\w.-]{0,255}$/

/** The root. Throws a refusal if the parser sees anything else than `countStrict`. */
export function rootOf(text: string, limits: Limits): Element {
  const given = withoutOtherLineEnds(text)
  const counted = countStrict(given, limits)
  const root = parsed(given).documentElement
  checkTree(root, counted)
  return root
}

export function parsed(text: string): Document {
  const fail = () => refuse('saml_invalid', 'the parser refuses it')
  const errorHandler = { warning: fail, error: fail, fatalError: fail }
  return new DOMParser({ errorHandler }).parseFromString(text, 'text/xml')
}

/** Every element below the root with the root itself, in the order of the document, without recursion. */
export function* elementsOf(root: Element): Generator<Element> {
  const left: Element[] = [root]
  for (let element = left.pop(); element; element = left.pop()) {
    yield element
    for (let child = element.lastChild; child; child = child.previousSibling)
      if (child.nodeType === ELEMENT) left.push(child as Element)
  }
}

function checkTree(root: Element, counted: Counted): void {
  const ids = new Set<string>()
  const seen = { elements: 0, attributes: 0 }
  for (const element of elementsOf(root)) {
    seen.elements++
    seen.attributes += element.attributes.length
    for (let child = element.firstChild; child; child = child.nextSibling)
      if (child.nodeType !== ELEMENT && child.nodeType !== TEXT)
        refuse('saml_invalid', 'a node that is no element and no text')
    if (element.prefix && typeof element.namespaceURI !== 'string')
      refuse('saml_invalid', 'a prefix without a namespace')
    checkAttributes(element, ids)
  }
  if (seen.elements !== counted.elements || seen.attributes !== counted.attributes)
    refuse('saml_invalid', 'the parser sees another document')
}

/** Attributes that any library takes for an identifier have a value that no other one has. */
function checkAttributes(element: Element, ids: Set<string>): void {
  const names = new Set<string>()
  for (const { prefix, namespaceURI, localName, name, value } of Array.from(element.attributes)) {
    if (prefix && typeof namespaceURI !== 'string') refuse('saml_invalid', 'a prefix without a namespace')
    const expanded = prefix ? `${namespaceURI} ${localName}` : name
    if (names.has(expanded)) refuse('saml_invalid', 'an attribute twice')
    names.add(expanded)
    if (localName?.toLowerCase() !== 'id' || prefix === 'xmlns') continue
    if (name === 'ID' && !NC_NAME.test(value)) refuse('saml_invalid', 'an identifier that is no name')
    if (ids.has(value)) refuse('saml_invalid', 'an identifier twice')
    ids.add(value)
  }
}

export const isNamed = (element: Element, namespace: string, name: string): boolean =>
  element.namespaceURI === namespace && element.localName === name

/** The children of an element that has no text of its own. */
export function childrenOf(element: Element): Element[] {
  const children: Element[] = []
  for (let child = element.firstChild; child; child = child.nextSibling) {
    if (child.nodeType === ELEMENT) children.push(child as Element)
    else if (/[^ \t\n\r]/.test(child.nodeValue ?? '')) refuse('saml_invalid', 'text between elements')
  }
  return children
}

/** The text of an element without children, otherwise undefined. */
export function textIn(element: Element): string | undefined {
  let text = ''
  for (let child = element.firstChild; child; child = child.nextSibling) {
    if (child.nodeType !== TEXT) return undefined
    text += child.nodeValue ?? ''
  }
  return text
}

/** Without white space of XML around it. */
export const trimmed = (text: string): string => text.replace(/^[ \t\n\r]+/, '').replace(/[ \t\n\r]+$/, '')

/** The attribute without a namespace; undefined if there is none. */
export const attributeOf = (element: Element, name: string): string | undefined =>
  element.hasAttribute(name) ? (element.getAttribute(name) ?? undefined) : undefined
