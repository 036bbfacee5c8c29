import { Link } from '@tanstack/react-router'
import { formatNumber } from '../texts/texts.ts'

type NumberOf = {
  title: string
  /** Undefined until it is known. */
  value: number | undefined
  /** The list that it counts, below /console. */
  to?: string
  search?: Record<string, string | undefined>
}

/** Numbers, each with a link to what it counts. */
export const Numbers = ({ numbers }: { numbers: readonly NumberOf[] }) => (
  <div className="counts">
    {numbers.map(({ title, value, to, search }) => {
      const content = (
        <>
          <strong>{value === undefined ? '…' : formatNumber(value)}</strong>
          {title}
        </>
      )
      return to ? (
        <Link key={title} to={to as '/'} search={search as never}>
          {content}
        </Link>
      ) : (
        <div key={title}>{content}</div>
      )
    })}
  </div>
)
