import type { ReactNode } from 'react'
import { Icon, type IconName } from './Icon.tsx'
import './Badge.css'

const ICONS: Record<Tone, IconName> = { good: 'check', wait: 'clock', bad: 'alert', plain: 'minus' }

export type Tone = 'good' | 'wait' | 'bad' | 'plain'

/** A state: text and icon, never by color alone. */
export const Badge = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className={`badge ${tone}`}>
    <Icon name={ICONS[tone]} />
    {children}
  </span>
)
