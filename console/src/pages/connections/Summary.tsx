import type { ReactNode } from 'react'
import { usePlace } from '../../api/context.ts'
import { Copy } from '../../parts/Copy.tsx'
import type { Connection } from '../../parts/connections/connection.ts'
import { CertificateEnd, Reason } from '../../parts/connections/States.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Guide } from '../../parts/Guide.tsx'
import { Time } from '../../parts/Time.tsx'
import { fill, formatList, texts } from '../../texts/texts.ts'

type Props = { connection: Connection; isOurs: boolean; mayChange: boolean }

/** What the connection is waiting for, what has happened, and what is registered at the provider. */
export function Summary({ connection, isOurs, mayChange }: Props) {
  const t = texts.connections
  const { kind, missing, testedAt, lastUsedAt, setBy, lastError, startUrl } = connection
  return (
    <div className="panels">
      <section className="panel">
        <h2>{t.state}</h2>
        <p className="muted">{nextOf(connection)}</p>
        <Facts
          facts={[
            [t.kind, t.kinds[kind]],
            ...(missing.length > 0 ? [[t.missing, formatList(missing.map((name) => t[name]))] as const] : []),
            [t.tested, <Time key="tested" at={testedAt} />],
            [t.used, <Time key="used" at={lastUsedAt} />],
            ...ends(connection),
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
        {kind === 'saml' && <p className="hint after">{t.entityIdHint}</p>}
        <p className="hint after">{t.startUrlHint}</p>
        <p className="after">
          {t.steps}{' '}
          {GUIDES[kind].map(([name, anchor], index) => (
            <span key={anchor}>
              {index > 0 && ' · '}
              <Guide page={`single-sign-on#${anchor}`}>
                {name ?? (kind === 'saml' ? t.otherSaml : t.services.other)}
              </Guide>
            </span>
          ))}
        </p>
      </section>
    </div>
  )
}

/** When the secret, or each certificate, ends. */
function ends({ kind, secretExpiresAt, certificates }: Connection): [string, ReactNode][] {
  const t = texts.connections
  if (kind === 'oidc') return [[t.secretUntil, <Time key="secret" at={secretExpiresAt} none={t.notKnown} />]]
  return certificates.map(({ pem, notAfter }, index) => [
    fill(t.certificateUntil, { number: index + 1 }),
    <span key={pem} className="badges">
      <Time at={notAfter} /> <CertificateEnd notAfter={notAfter} />
    </span>,
  ])
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
const GUIDES = {
  oidc: [
    ['Okta', 'okta'],
    ['Microsoft Entra ID', 'microsoft-entra-id'],
    ['Google Workspace', 'google-workspace'],
    ['Keycloak', 'keycloak'],
    [undefined, 'another-provider'],
  ],
  saml: [
    ['Okta', 'okta-with-saml'],
    ['Microsoft Entra ID', 'microsoft-entra-id-with-saml'],
    ['Google Workspace', 'google-workspace-with-saml'],
    ['Keycloak', 'keycloak-with-saml'],
    [undefined, 'another-saml-provider'],
  ],
} as const

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
