import type { ReactNode } from 'react'
import { usePlace } from '../../api/context.ts'
import { Copy } from '../../parts/Copy.tsx'
import type { Connection } from '../../parts/connections/connection.ts'
import { Reason } from '../../parts/connections/States.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Guide } from '../../parts/Guide.tsx'
import { Time } from '../../parts/Time.tsx'
import { texts } from '../../texts/texts.ts'

type Props = { connection: Connection; isOurs: boolean; mayChange: boolean }

/** What the connection is waiting for, what has happened, and what is registered at the provider. */
export function Summary({ connection, isOurs, mayChange }: Props) {
  const t = texts.connections
  const { testedAt, lastUsedAt, secretExpiresAt, setBy, lastError, startUrl } = connection
  return (
    <div className="panels">
      <section className="panel">
        <h2>{t.state}</h2>
        <p className="muted">{nextOf(connection)}</p>
        <Facts
          facts={[
            [t.tested, <Time key="tested" at={testedAt} />],
            [t.used, <Time key="used" at={lastUsedAt} />],
            [t.secretUntil, <Time key="secret" at={secretExpiresAt} none={t.notKnown} />],
            [t.setBy, texts.domains.setByValues[setBy]],
          ]}
        />
        {lastError !== null && (
          <div className="notice after">
            <strong>{t.failed}</strong> <Reason code={lastError} />
          </div>
        )}
        <Closed isOurs={isOurs} mayChange={mayChange} />
      </section>
      <section className="panel">
        <h2>{t.atProvider}</h2>
        <p className="muted">{t.atProviderLead}</p>
        <Facts
          facts={[
            ...exchanged(connection).map(([label, value]): [string, ReactNode] => [
              label,
              <Copy key={label} text={value} />,
            ]),
            [t.startUrl, <Copy key="start" text={startUrl} />],
          ]}
        />
        <p className="hint after">{t.startUrlHint}</p>
        <p className="after">
          {t.steps}{' '}
          {GUIDES.map(([name, anchor], index) => (
            <span key={anchor}>
              {index > 0 && ' · '}
              <Guide page={`single-sign-on#${anchor}`}>{name ?? t.services.other}</Guide>
            </span>
          ))}
        </p>
      </section>
    </div>
  )
}

/** What is registered at the provider. */
function exchanged({ redirectUri, acsUrl, entityId }: Connection): [string, string][] {
  const t = texts.connections
  const values: [string, string | null][] = [
    [t.redirectUri, redirectUri],
    [t.acsUrl, acsUrl],
    [t.entityId, entityId],
  ]
  return values.flatMap(([label, value]) => (value === null ? [] : [[label, value]]))
}

/** The sections of the documentation with the steps at each provider. */
const GUIDES = [
  ['Okta', 'okta'],
  ['Microsoft Entra ID', 'microsoft-entra-id'],
  ['Google Workspace', 'google-workspace'],
  ['Keycloak', 'keycloak'],
  [undefined, 'another-provider'],
] as const

/** What is to do next. */
function nextOf({ missing, testedAt, enabled }: Connection): string {
  const t = texts.connections
  if (missing.length > 0) return t.nextRegister
  if (testedAt === null) return t.nextTest
  return enabled ? t.isOn : t.nextOn
}

/** Why the connection cannot be changed here, or what still can. */
function Closed({ isOurs, mayChange }: Omit<Props, 'connection'>) {
  const t = texts.connections
  const { canChange } = usePlace()
  if (!canChange || mayChange) return null
  return <p className="hint after">{isOurs ? t.notEnabled : t.setAbove}</p>
}
