import { useEffect, useState } from 'react'
import { texts } from '../texts/texts.ts'
import { Icon } from './Icon.tsx'
import './Snippet.css'

/** Code of several lines with a button that copies it. */
export function Snippet({ code, label }: { code: string; label: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <div className="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also with the keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre>
          <code>{markedOf(code)}</code>
        </pre>
      </section>
      <button
        type="button"
        onClick={() => void navigator.clipboard.writeText(code).then(() => setCopied(true))}
      >
        <Icon name={copied ? 'check' : 'copy'} />
        {copied ? texts.parts.copied : texts.parts.copy}
      </button>
    </div>
  )
}

/** Comments and strings are marked; everything else has the color of the text. */
const MARKS = /((?:^|\s)(?:\/\/|#(?!\{)).*$|\/\*\*.*?\*\/)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/gm

function markedOf(code: string) {
  const parts: (string | { kind: 'comment' | 'string'; text: string; at: number })[] = []
  let end = 0
  for (const match of code.matchAll(MARKS)) {
    parts.push(code.slice(end, match.index))
    parts.push({ kind: match[1] === undefined ? 'string' : 'comment', text: match[0], at: match.index })
    end = match.index + match[0].length
  }
  parts.push(code.slice(end))
  return parts.map((part) =>
    typeof part === 'string' ? (
      part
    ) : (
      <span key={part.at} className={`code-${part.kind}`}>
        {part.text}
      </span>
    ),
  )
}
