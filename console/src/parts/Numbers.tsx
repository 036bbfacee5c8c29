import { Link } from '@tanstack/react-router'
import { formatNumber } from '../texts/texts.ts'
import type { PageLink } from './links.ts'
import './Numbers.css'

type NumberOf = {
  title: string
  /** Undefined until it is known. */
  value: number | undefined
  /** The list that it counts. */
  link?: PageLink
}

/** Numbers, each with a link to what it counts. */
export const Numbers = ({ numbers }: { numbers: readonly NumberOf[] }) => (
  <div className="counts">
    {numbers.map(({ title, value, link }) => {
      const content = (
        <>
          <strong>{value === undefined ? '…' : formatNumber(value)}</strong>
          {title}
        </>
      )
      return link ? (
        <Link key={title} {...link}>
          {content}
        </Link>
      ) : (
        <div key={title}>{content}</div>
      )
    })}
  </div>
)
