import { textNamed, texts } from '../../texts/texts.ts'
import { Badge, Done } from '../Badge.tsx'
import { type Connection, endOf } from './connection.ts'

/** On or off, and what needs attention. */
export function States({ connection }: { connection: Connection }) {
  const t = texts.connections
  const { enabled, missing, testedAt, changedSinceTest, lastError, secretExpiresAt, certificates } =
    connection
  const secret = endOf(secretExpiresAt)
  const newest = certificates
    .map(({ notAfter }) => notAfter)
    .sort()
    .at(-1)
  return (
    <span className="badges">
      {enabled ? <Done>{t.on}</Done> : <Badge tone="plain">{t.off}</Badge>}
      {missing.length > 0 && <Badge tone="wait">{t.incomplete}</Badge>}
      {missing.length === 0 && testedAt === null && <Badge tone="wait">{t.untested}</Badge>}
      {changedSinceTest && <Badge tone="wait">{t.changed}</Badge>}
      {lastError !== null && <Badge tone="bad">{t.failed}</Badge>}
      {secret === 'ended' && <Badge tone="bad">{t.expired}</Badge>}
      {secret === 'soon' && <Badge tone="wait">{t.expiresSoon}</Badge>}
      <CertificateEnd notAfter={newest} />
    </span>
  )
}

/** A mark for a certificate that ends within 30 days, or has: its key still counts. */
export function CertificateEnd({ notAfter }: { notAfter: string | undefined }) {
  const end = endOf(notAfter)
  if (!end) return null
  const { certificateEnded, certificateEndsSoon } = texts.connections
  return <Badge tone="wait">{end === 'ended' ? certificateEnded : certificateEndsSoon}</Badge>
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
