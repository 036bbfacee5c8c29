import './Choice.css'

type Props<Key extends string> = {
  name: string
  legend: string
  options: Record<Key, string>
  hints: Record<Key, string>
  value: Key
  onChange: (value: Key) => void
}

/** A question with few answers, each with a sentence. */
export const Choice = <Key extends string>({ name, legend, options, hints, value, onChange }: Props<Key>) => (
  <fieldset className="choice">
    <legend>{legend}</legend>
    {(Object.entries(options) as [Key, string][]).map(([key, title]) => (
      <label key={key}>
        <input type="radio" name={name} value={key} checked={key === value} onChange={() => onChange(key)} />
        <span>
          <strong>{title}</strong>
          <span className="below">{hints[key]}</span>
        </span>
      </label>
    ))}
  </fieldset>
)
