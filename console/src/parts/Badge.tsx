import type { ReactNode } from 'react'
import { Icon, type IconName } from './Icon.tsx'
import './Badge.css'

const ICONS: Record<Exclude<Tone, 'good'>, IconName> = { wait: 'clock', bad: 'alert', plain: 'minus' }

export type Tone = 'good' | 'wait' | 'bad' | 'plain'

/** A state. The usual one is a plain text; an exception has an icon, and is never marked by color alone. */
export const Badge = ({ tone, children }: { tone: Tone; children: ReactNode }) =>
  tone === 'good' ? (
    <span>{children}</span>
  ) : (
    <span className={`badge ${tone}`}>
      <Icon name={ICONS[tone]} />
      {children}
    </span>
  )

/** A step or a check that is done. */
export const Done = ({ children }: { children: ReactNode }) => (
  <span className="badge good">
    <Icon name="check" />
    {children}
  </span>
)
