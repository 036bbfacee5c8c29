import { Badge } from '../Badge.tsx'
import type { Names } from '../names.ts'
import { type Entry, Sentence } from './Sentence.tsx'

type Props = { type: string; entry: Entry; names: Names; isFailure?: boolean }

/** What has happened, in a sentence; its type as the API names it. */
export const EventLine = ({ type, entry, names, isFailure = false }: Props) => (
  <>
    <Sentence entry={entry} names={names} />
    <span className="below">{isFailure ? <Badge tone="bad">{type}</Badge> : <code>{type}</code>}</span>
  </>
)
