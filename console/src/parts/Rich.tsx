import { Fragment, type ReactNode } from 'react'
import { type Message, templateOf } from '../texts/texts.ts'

type Props<Name extends string> = { text: Message<Name>; values: Readonly<Record<Name, ReactNode>> }

/** A text whose `{placeholders}` are elements. */
export function Rich<Name extends string>({ text, values }: Props<Name>): ReactNode {
  const given: Readonly<Record<string, ReactNode>> = values
  return templateOf(text)
    .split(/(\{\w+\})/)
    .map((part, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their order
      <Fragment key={index}>{/^\{\w+\}$/.test(part) ? given[part.slice(1, -1)] : part}</Fragment>
    ))
}
