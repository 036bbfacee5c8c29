import { Fragment, type ReactNode } from 'react'

/** A text whose `{placeholders}` are elements. */
export const Rich = ({ text, values }: { text: string; values: Record<string, ReactNode> }) =>
  text.split(/(\{\w+\})/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their order
    <Fragment key={index}>{/^\{\w+\}$/.test(part) ? values[part.slice(1, -1)] : part}</Fragment>
  ))
