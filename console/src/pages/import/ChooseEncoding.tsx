import { useMemo } from 'react'
import { texts } from '../../texts/texts.ts'
import { type Candidate, candidatesOf, type Encoding } from './encoding.ts'
import '../../parts/Choice.css'

type Props = { bytes: Uint8Array; chosen: Encoding | undefined; onChoose: (candidate: Candidate) => void }

/** Asks how a file was saved that is not UTF-8. Each encoding has a part of the file as its example. */
export function ChooseEncoding({ bytes, chosen, onChoose }: Props) {
  const t = texts.imports
  const candidates = useMemo(() => candidatesOf(bytes), [bytes])
  return (
    <section className="panel">
      <fieldset className="choice" aria-describedby="encoding-lead">
        <legend>{t.encoding}</legend>
        <p id="encoding-lead" className="muted">
          {t.encodingLead}
        </p>
        {candidates.map((candidate) => {
          const { encoding, example } = candidate
          return (
            <label key={encoding}>
              <input
                type="radio"
                name="encoding"
                value={encoding}
                checked={encoding === chosen}
                onChange={() => onChoose(candidate)}
              />
              <span>
                <strong>{t.encodings[encoding]}</strong>
                <span className="below">{example}</span>
              </span>
            </label>
          )
        })}
      </fieldset>
    </section>
  )
}
