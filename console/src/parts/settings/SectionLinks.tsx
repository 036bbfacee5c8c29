import { type MouseEvent, useEffect, useState } from 'react'
import { texts } from '../../texts/texts.ts'
import './SectionLinks.css'

export type SectionLink = { id: string; title: string }

/** In pixels: a section is the present one when its start is above this line. */
const LINE = 140

/** Links to the sections of a long page; the one that is being read is marked. */
export function SectionLinks({ links }: { links: readonly SectionLink[] }) {
  const [current, setCurrent] = useState<string>()
  useEffect(() => {
    const look = () => {
      const passed = links.filter(({ id }) => topOf(id) < LINE)
      const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2
      setCurrent((isAtEnd && scrollY > 0 ? links : passed).at(-1)?.id ?? links[0]?.id)
    }
    look()
    addEventListener('scroll', look, { passive: true })
    return () => removeEventListener('scroll', look)
  }, [links])
  /** The address keeps its parameters, and the focus follows. */
  const go = (event: MouseEvent, id: string) => {
    event.preventDefault()
    const section = document.getElementById(id)
    section?.scrollIntoView({ block: 'start' })
    section?.querySelector<HTMLElement>('input, select, textarea, button')?.focus({ preventScroll: true })
  }
  return (
    <nav className="section-links" aria-label={texts.settings.sections}>
      {links.map(({ id, title }) => (
        <a
          key={id}
          href={`#${id}`}
          aria-current={id === current ? 'location' : undefined}
          onClick={(event) => go(event, id)}
        >
          {title}
        </a>
      ))}
    </nav>
  )
}

const topOf = (id: string): number =>
  document.getElementById(id)?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY
