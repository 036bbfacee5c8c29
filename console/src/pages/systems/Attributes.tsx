import { useId, useState } from 'react'
import { Icon } from '../../parts/Icon.tsx'
import { fill, texts } from '../../texts/texts.ts'
import '../../parts/Form.css'
import './Attributes.css'

export type Pair = { key: string; name: string; value: string }

const newPair = (name = '', value = ''): Pair => ({ key: crypto.randomUUID(), name, value })

/** A text as it is, unless it would be read as JSON; anything else as JSON. */
const textOf = (value: unknown): string =>
  typeof value === 'string' && jsonValueOf(value) === value ? value : JSON.stringify(value)

/** The value of a text: JSON, or the text itself. */
export function jsonValueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const pairsOf = (attributes: Record<string, unknown>): Pair[] =>
  Object.entries(attributes).map(([name, value]) => newPair(name, textOf(value)))

const jsonOf = (pairs: readonly Pair[]): string =>
  JSON.stringify(
    Object.fromEntries(
      pairs.filter(({ name }) => name !== '').map(({ name, value }) => [name, jsonValueOf(value)]),
    ),
    null,
    2,
  )

type Props = {
  /** Null while the JSON is not valid. */
  pairs: Pair[] | null
  onChange: (pairs: Pair[] | null) => void
}

/** Attributes as rows of names and values, or as JSON. */
export function Attributes({ pairs, onChange }: Props) {
  const [json, setJson] = useState<string | null>(null)
  const t = texts.settings
  return (
    <fieldset className="attributes">
      <legend>{t.attributes}</legend>
      {json === null ? (
        <Rows pairs={pairs ?? []} onChange={onChange} />
      ) : (
        <Json text={json} setText={setJson} onChange={onChange} />
      )}
      <button
        type="button"
        className="link"
        disabled={pairs === null}
        onClick={() => setJson(json === null ? jsonOf(pairs ?? []) : null)}
      >
        {json === null ? t.asJson : t.asRows}
      </button>
    </fieldset>
  )
}

function Rows({ pairs, onChange }: { pairs: Pair[]; onChange: (pairs: Pair[]) => void }) {
  const t = texts.settings
  const set = (key: string, change: Partial<Pair>) =>
    onChange(pairs.map((pair) => (pair.key === key ? { ...pair, ...change } : pair)))
  return (
    <>
      {pairs.map(({ key, name, value }) => (
        <div key={key} className="pair">
          <input
            aria-label={t.attribute}
            placeholder={t.attribute}
            value={name}
            onChange={(event) => set(key, { name: event.target.value })}
          />
          <input
            aria-label={`${t.value}: ${name}`}
            placeholder={t.value}
            value={value}
            onChange={(event) => set(key, { value: event.target.value })}
          />
          <button
            type="button"
            className="icon-button"
            aria-label={fill(t.removeAttribute, { name })}
            onClick={() => onChange(pairs.filter((pair) => pair.key !== key))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <p className="hint">{t.valueHint}</p>
      <button type="button" onClick={() => onChange([...pairs, newPair()])}>
        <Icon name="plus" />
        {t.addAttribute}
      </button>
    </>
  )
}

type JsonProps = { text: string; setText: (text: string) => void; onChange: (pairs: Pair[] | null) => void }

function Json({ text, setText, onChange }: JsonProps) {
  const id = useId()
  const [fault, setFault] = useState<string>()
  const change = (next: string) => {
    setText(next)
    try {
      const parsed: unknown = JSON.parse(next)
      if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new Error('{ … }')
      setFault(undefined)
      onChange(pairsOf(parsed as Record<string, unknown>))
    } catch (error) {
      setFault(fill(texts.settings.badJson, { error: (error as Error).message }))
      onChange(null)
    }
  }
  return (
    <div className="field">
      <textarea
        aria-label={texts.settings.attributes}
        aria-invalid={fault !== undefined}
        aria-describedby={fault && id}
        rows={8}
        spellCheck={false}
        value={text}
        onChange={(event) => change(event.target.value)}
      />
      {fault && (
        <p id={id} className="fault">
          {fault}
        </p>
      )}
    </div>
  )
}
