import type { ReactNode } from 'react'
import { Avatar } from './Avatar.tsx'
import './Person.css'

type Props = {
  id: string
  name: string | null | undefined
  email: string
  /** Instead of the name: a link to the page of the person. */
  children?: ReactNode
  /** Of a row with many columns: a long address is cut, and whole in its tooltip. */
  isInWideRow?: boolean
}

/** A person in a list: initials, name, and the address below it. */
export const Person = ({ id, name, email, children, isInWideRow = false }: Props) => (
  <span className={isInWideRow ? 'person in-wide-row' : 'person'} title={isInWideRow ? email : undefined}>
    <Avatar id={id} name={name ?? email} />
    <span>
      {children ?? <strong>{name ?? email}</strong>}
      {(children ?? name) && name !== email && <span className="below">{email}</span>}
    </span>
  </span>
)
