import type { ReactNode } from 'react'
import { Avatar } from './Avatar.tsx'
import './Person.css'

type Props = {
  id: string
  name: string | null | undefined
  email: string
  /** Instead of the name: a link to the page of the person. */
  children?: ReactNode
}

/** A person in a list: initials, name, and the address below it. */
export const Person = ({ id, name, email, children }: Props) => (
  <span className="person">
    <Avatar id={id} name={name ?? email} />
    <span>
      {children ?? <strong>{name ?? email}</strong>}
      {(children ?? name) && name !== email && <span className="below">{email}</span>}
    </span>
  </span>
)
