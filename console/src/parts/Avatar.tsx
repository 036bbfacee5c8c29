import './Avatar.css'

/** The number of hues in Avatar.css. */
const HUES = 8

const hueOf = (id: string): number =>
  [...id].reduce((sum, each) => (sum * 31 + each.charCodeAt(0)) % 997, 7) % HUES

/** The first letters of the first and the last word of a name; of an address the first letter. */
function initialsOf(name: string): string {
  const words = name.split('@')[0]!.trim().split(/\s+/)
  const ends = words.length > 1 && !name.includes('@') ? [words[0]!, words.at(-1)!] : [words[0]!]
  return ends.map((word) => [...word][0]?.toUpperCase() ?? '').join('')
}

/** A person or a thing as its initials, in a color of its id. Its name stands beside it. */
export const Avatar = ({ id, name, isSquare = false }: { id: string; name: string; isSquare?: boolean }) => (
  <span className={isSquare ? 'avatar square' : 'avatar'} data-hue={hueOf(id)} aria-hidden="true">
    {initialsOf(name)}
  </span>
)
