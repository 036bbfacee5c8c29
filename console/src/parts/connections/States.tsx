import { textNamed, texts } from '../../texts/texts.ts'
import { Badge, Done } from '../Badge.tsx'
import type { Connection } from './connection.ts'

/** 30 days, in ms: so long before its end a secret is marked. */
const EXPIRES_SOON = 30 * 86_400_000

/** On or off, and what needs attention. */
export function States({ connection }: { connection: Connection }) {
  const t = texts.connections
  const { enabled, missing, testedAt, changedSinceTest, lastError, secretExpiresAt } = connection
  const left = secretExpiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(secretExpiresAt) - Date.now()
  return (
    <span className="badges">
      {enabled ? <Done>{t.on}</Done> : <Badge tone="plain">{t.off}</Badge>}
      {missing.length > 0 && <Badge tone="wait">{t.incomplete}</Badge>}
      {missing.length === 0 && testedAt === null && <Badge tone="wait">{t.untested}</Badge>}
      {changedSinceTest && <Badge tone="wait">{t.changed}</Badge>}
      {lastError !== null && <Badge tone="bad">{t.failed}</Badge>}
      {left <= 0 && <Badge tone="bad">{t.expired}</Badge>}
      {left > 0 && left <= EXPIRES_SOON && <Badge tone="wait">{t.expiresSoon}</Badge>}
    </span>
  )
}

/** Why an attempt was refused: in words, and its code. */
export function Reason({ code }: { code: string }) {
  const reason = textNamed(texts.connections.refusals, code)
  return (
    <>
      {reason} <code className="below">{code}</code>
    </>
  )
}
