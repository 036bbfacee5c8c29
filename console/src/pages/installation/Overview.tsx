import { useRead } from '../../api/queries.ts'
import { Badge } from '../../parts/Badge.tsx'
import { Copy } from '../../parts/Copy.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Time } from '../../parts/Time.tsx'
import { formatBytes, formatNumber, texts } from '../../texts/texts.ts'
import { Production } from './Production.tsx'
import '../../parts/Table.css'

/** The server, its database and its addresses. */
export function InstallationOverview() {
  const t = texts.installation
  const { data, error, refetch } = useRead('/admin/installation', {}, { refetchInterval: 30_000 })
  if (!data) return error ? <Failed error={error} onRetry={() => void refetch()} /> : null
  const { version, baseUrl, startedAt, health, database, mail, identityProviders } = data
  return (
    <>
      <div className="panels">
        <section className="panel">
          <h2>{t.server}</h2>
          <Facts
            facts={[
              [t.version, version],
              [t.started, <Time key="started" at={startedAt} />],
              [t.address, <Copy key="address" text={baseUrl} />],
              [t.discovery, <Address key="discovery" path="/.well-known/openid-configuration" />],
              [t.reference, <Address key="reference" path="/docs" />],
              [t.identityProviders, identityProviders.join(', ') || <NoProviders key="providers" />],
            ]}
          />
        </section>
        <section className="panel">
          <h2>{t.database}</h2>
          <Facts
            facts={[
              [
                t.state,
                <Badge key="state" tone={health.database === 'ok' ? 'good' : 'bad'}>
                  {health.database === 'ok' ? t.answers : t.failing}
                </Badge>,
              ],
              [t.kind, database.kind === 'pglite' ? t.embedded : 'PostgreSQL'],
              [t.size, formatBytes(database.bytes)],
            ]}
          />
          <details>
            <summary>{t.tables}</summary>
            <table aria-label={t.tables}>
              <thead>
                <tr>
                  <th scope="col">{t.table}</th>
                  <th scope="col" className="number">
                    {t.rows}
                  </th>
                  <th scope="col" className="number">
                    {t.size}
                  </th>
                </tr>
              </thead>
              <tbody>
                {database.tables.map(({ name, bytes, rows }) => (
                  <tr key={name}>
                    <td>
                      <code>{name}</code>
                    </td>
                    <td className="number">{formatNumber(rows)}</td>
                    <td className="number">{formatBytes(bytes)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        </section>
        <section className="panel">
          <h2>{t.mail}</h2>
          <Facts
            facts={[
              [t.transport, mail.transport === 'smtp' ? `SMTP, ${mail.host}` : t.outbox],
              [t.pending, formatNumber(mail.pending)],
              [
                t.failed,
                <Badge key="failed" tone={mail.failed > 0 ? 'bad' : 'good'}>
                  {formatNumber(mail.failed)}
                </Badge>,
              ],
            ]}
          />
        </section>
      </div>
      <Production installation={data} />
    </>
  )
}

const NoProviders = () => <span className="muted">{texts.installation.noProviders}</span>

const Address = ({ path }: { path: string }) => <a href={path}>{path}</a>
