import { useState } from 'react'
import { Guide } from '../../parts/Guide.tsx'
import { Snippet } from '../../parts/Snippet.tsx'
import { texts } from '../../texts/texts.ts'
import { VERIFY } from './signatures.ts'
import '../../parts/chips.css'

/** How a receiver knows that a request comes from here. */
export function Verify() {
  const [key, setKey] = useState('node')
  const t = texts.webhooks
  const { code, title } = VERIFY[key]!
  return (
    <details className="panel more-panel">
      <summary>{t.verify}</summary>
      <p>
        {t.verifyLead} <Guide page="webhooks">{texts.parts.guide}</Guide>
      </p>
      <fieldset className="chips-set" aria-label={texts.quickStart.language}>
        <div className="chips">
          {Object.entries(VERIFY).map(([each, language]) => (
            <button key={each} type="button" aria-pressed={each === key} onClick={() => setKey(each)}>
              {language.title}
            </button>
          ))}
        </div>
      </fieldset>
      <Snippet code={code} label={title} />
    </details>
  )
}
