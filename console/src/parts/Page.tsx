import { type ReactNode, useEffect, useRef } from 'react'
import './Page.css'

type Props = {
  title: string
  /** Instead of `title` in the heading. */
  heading?: ReactNode
  /** Above the title: the way back. */
  above?: ReactNode
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** A page with its title. The heading has the focus after a navigation, so that it is read first. */
export function Page({ title, heading = title, above, lead, actions, children }: Props) {
  const ref = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Tenantry`
  }, [title])
  useEffect(() => ref.current?.focus({ preventScroll: true }), [])
  return (
    <>
      <header className="page-head">
        <div>
          {above}
          <h1 ref={ref} tabIndex={-1}>
            {heading}
          </h1>
          {lead && <p className="lead">{lead}</p>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

/** What an empty list says, with its first step. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <section className="empty">
    <h2>{title}</h2>
    {children}
  </section>
)
