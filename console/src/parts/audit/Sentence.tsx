import type { ReactNode } from 'react'
import type { Item } from '../../api/queries.ts'
import { fill, formatNumber, type Message, templateOf, textNamed, texts } from '../../texts/texts.ts'
import { Gone } from '../Named.tsx'
import type { Names } from '../names.ts'
import { Rich } from '../Rich.tsx'
import { clock } from '../Time.tsx'

export type Entry = Item<'/admin/audit'>

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** What the entry itself says about its target: the user of a membership, the name of what was deleted. */
const hintOf = ({ changes }: Entry) => ({
  userId: textOf(changes.userId?.find(Boolean)),
  name: textOf(changes.name?.findLast(Boolean)) ?? textOf(changes.email?.findLast(Boolean)),
})

/** The ids whose names a sentence needs. */
export const idsOf = (entry: Entry): (string | null | undefined)[] => [
  entry.actor.id,
  entry.target.id,
  entry.systemId,
  entry.accountId,
  hintOf(entry).userId,
]

/** The target by its name, otherwise by what the entry says about it. */
export function TargetName({ entry, names }: { entry: Entry; names: Names }): ReactNode {
  const { type, id } = entry.target
  const { userId, name } = hintOf(entry)
  const found = names.of(userId) ?? names.of(id)
  if (found) return <strong>{found.name}</strong>
  if (name) return <strong>{name}</strong>
  if (!id) return texts.audit.something
  if (type === 'route') return <code>{id}</code>
  return names.isLoaded ? <Gone id={id} /> : '…'
}

/** The actor of an entry. A sign-in is the act of the user that it is about. */
export function ActorName({ entry, names }: { entry: Entry; names: Names }): ReactNode {
  const { type, id } = entry.actor
  if (type === 'server') return texts.audit.server
  if (!id) {
    const isOwn = entry.action === 'user.login' && entry.outcome === 'success' && entry.target.id !== null
    return isOwn ? <TargetName entry={entry} names={names} /> : texts.audit.someone
  }
  const found = names.of(id)?.name ?? textOf(entry.changes.actor?.findLast(Boolean)) // of another account
  if (found) return <strong>{found}</strong>
  if (type === 'service') return <strong>{id}</strong>
  return names.isLoaded ? <Gone id={id} /> : '…'
}

type Name = 'actor' | 'target' | 'place' | 'toPlace' | 'fromPlace' | 'system' | 'action'

/** The text of an entry, with placeholders. */
function sentenceOf(entry: Entry): Message<Name> {
  const { action, outcome, actor, target, changes } = entry
  const t = texts.audit
  const [, disabled] = (action === 'user.updated' && changes.disabled) || []
  const toggled = typeof disabled === 'boolean' ? (disabled ? t.userDisabled : t.userEnabled) : undefined
  const isOwn = action === 'membership.created' && actor.id === changes.userId?.[1]
  const said = isOwn ? t.joined : (textNamed(t.sentences, action) ?? textNamed(t.events, action))
  const done = toggled ?? said ?? t.unknown
  if (outcome === 'success') return done
  const unnamed = target.id === null ? textNamed(t.unnamed, action) : undefined
  const sentence = unnamed ?? textNamed(t.refused, action) ?? around(t.notDone, done)
  const reason = textNamed(t.reasons, textOf(changes.reason?.at(-1)))
  return withNumber(entry, withRedirects(entry, reason ? around(t.because, sentence, { reason }) : sentence))
}

/** The redirect URI that was sent, and the registered ones. */
function withRedirects({ changes }: Entry, sentence: Message<Name>): Message<Name> {
  const registered = changes.registered?.at(-1)
  const sent = textOf(changes.redirectUri?.at(-1))
  if (sent === undefined || !Array.isArray(registered)) return sentence
  const { redirects, noRedirects } = texts.audit
  if (registered.length === 0) return around(noRedirects, sentence, { sent })
  return around(redirects, sentence, { sent, registered: registered.map(String).join(', ') })
}

/** How often the same was refused before the entry was written. */
function withNumber({ changes }: Entry, sentence: Message<Name>): Message<Name> {
  const [times, since] = [changes.times?.at(-1), textOf(changes.since?.at(-1))]
  if (typeof times !== 'number' || since === undefined) return sentence
  return around(texts.audit.repeated, sentence, { count: formatNumber(times), time: clock(since) })
}

/** A text around a sentence whose placeholders remain. */
const around = <More extends string = never>(
  text: Message<'sentence' | More>,
  sentence: Message<Name>,
  more?: Readonly<Record<More, string>>,
) => fill<string>(text, { ...more, sentence: templateOf(sentence) }) as unknown as Message<Name>

/** An entry in words: "Ana Lima blocked Rui Alves in Acme". */
export function Sentence({ entry, names }: { entry: Entry; names: Names }) {
  const { action } = entry
  const sentence = sentenceOf(entry)
  const placeName = names.of(entry.accountId) ?? names.of(entry.systemId)
  const place = (text: Message<'name'>) => placeName && fill(text, { name: placeName.name })
  return (
    <span className="sentence">
      <Rich
        text={sentence}
        values={{
          actor: <ActorName entry={entry} names={names} />,
          target: <TargetName entry={entry} names={names} />,
          place: place(texts.audit.place),
          toPlace: place(texts.audit.toPlace),
          fromPlace: place(texts.audit.fromPlace),
          system: <strong>{names.of(entry.systemId)?.name ?? texts.audit.something}</strong>,
          action: <code>{action}</code>,
        }}
      />
    </span>
  )
}
