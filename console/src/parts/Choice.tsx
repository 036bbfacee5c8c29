import { useContext, useId } from 'react'
import { faultOf } from '../api/problem.ts'
import { FormState } from './Form.tsx'
import './Choice.css'

type Props<Key extends string> = {
  name: string
  legend: string
  options: Record<Key, string>
  hints: Record<Key, string>
  value: Key
  onChange: (value: Key) => void
}

/** A question with few answers, each with a sentence, and what the server has refused. */
export function Choice<Key extends string>({ name, legend, options, hints, value, onChange }: Props<Key>) {
  const id = useId()
  const fault = faultOf(useContext(FormState).error, `/${name}`)
  return (
    <fieldset className="choice" aria-describedby={fault && `${id}-fault`}>
      <legend>{legend}</legend>
      {(Object.entries(options) as [Key, string][]).map(([key, title]) => (
        <label key={key}>
          <input
            type="radio"
            name={name}
            value={key}
            checked={key === value}
            onChange={() => onChange(key)}
          />
          <span>
            <strong>{title}</strong>
            <span className="below">{hints[key]}</span>
          </span>
        </label>
      ))}
      {fault && (
        <p id={`${id}-fault`} className="fault">
          {fault}
        </p>
      )}
    </fieldset>
  )
}
