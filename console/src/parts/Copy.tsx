import { useEffect, useState } from 'react'
import { texts } from '../texts/texts.ts'
import { Icon } from './Icon.tsx'
import './Copy.css'

/** A text and the button that copies it. `isHidden`: only the button, with its label. */
export function Copy({
  text,
  label,
  isHidden = false,
}: {
  text: string
  label?: string
  isHidden?: boolean
}) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <span className="copy">
      {!isHidden && <code>{text}</code>}
      <button
        type="button"
        {...(isHidden ? {} : { className: 'icon-button small', 'aria-label': label ?? texts.parts.copy })}
        onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
      >
        <Icon name={copied ? 'check' : 'copy'} />
        {isHidden && label}
      </button>
      <span role="status" className="only-read">
        {copied && texts.parts.copied}
      </span>
    </span>
  )
}
