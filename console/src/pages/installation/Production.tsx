import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { usePlace } from '../../api/context.ts'
import { type Answer, type Item, useRead } from '../../api/queries.ts'
import { Badge, Done } from '../../parts/Badge.tsx'
import { Guide } from '../../parts/Guide.tsx'
import { texts } from '../../texts/texts.ts'
import './Production.css'

type Installation = Answer<'/admin/installation'>
type System = Item<'/admin/systems'>
type Check = { name: keyof typeof texts.production.checks; isDone: boolean; more?: ReactNode }

/** Applications whose redirect URIs are examined. With more of them, an absence is not known. */
const SYSTEMS_MAX = 100

/** Hosts of a developer's machine. */
const LOCAL = /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/?#]|$)/i

function checksOf({ baseUrl, database, mail, settings }: Installation): Check[] {
  const settingOf = (name: string) => settings.find((each) => each.name === name)?.value ?? ''
  const isSet = (name: string) => settings.some((each) => each.name === name && !each.isDefault)
  return [
    { name: 'address', isDone: baseUrl.startsWith('https:') },
    { name: 'proxy', isDone: settingOf('TRUST_PROXY') !== '' },
    { name: 'mail', isDone: mail.transport === 'smtp' },
    { name: 'sender', isDone: isSet('MAIL_FROM') },
    { name: 'secondFactor', isDone: settingOf('CONSOLE_REQUIRE_MFA') === 'true' },
    {
      name: 'privateAddresses',
      isDone: !isSet('WEBHOOK_ALLOW_PRIVATE') && !isSet('SOCIAL_ALLOW_PRIVATE'),
    },
    { name: 'database', isDone: database.kind === 'postgresql' },
    {
      name: 'metrics',
      isDone: settingOf('METRICS_ENABLED') === 'true' && (isSet('METRICS_TOKEN') || isSet('METRICS_PORT')),
    },
  ]
}

/** Links to applications that redirect to a developer's machine. */
function Local({ systems }: { systems: System[] }) {
  const { key } = usePlace()
  return (
    <ul className="names">
      {systems.map(({ id, name }) => (
        <li key={id}>
          <Link
            to="/$context/systems/$systemId"
            params={{ context: key, systemId: id }}
            search={{ tab: 'signIn' }}
          >
            {name}
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** What an installation needs before users of the Internet sign in, the open points first. */
export function Production({ installation }: { installation: Installation }) {
  const t = texts.production
  const systems = useRead('/admin/systems', { query: { pageSize: SYSTEMS_MAX } })
  if (!systems.data) return null
  const local = systems.data.data.filter(
    ({ platform, redirectUris }) => !platform && redirectUris.some((uri) => LOCAL.test(uri)),
  )
  const isDone = local.length === 0
  const redirects: Check = { name: 'redirectUris', isDone, more: <Local systems={local} /> }
  const isKnown = !isDone || systems.data.total <= SYSTEMS_MAX
  const checks = [...checksOf(installation), ...(isKnown ? [redirects] : [])].sort(
    (one, other) => Number(one.isDone) - Number(other.isDone),
  )
  return (
    <section className="panel">
      <h2>{t.title}</h2>
      <p className="muted">
        {t.lead} <Guide page="before-production">{texts.parts.guide}</Guide>
      </p>
      <ul className="readiness">
        {checks.map(({ name, isDone, more }) => (
          <li key={name}>
            {isDone ? <Done>{t.done}</Done> : <Badge tone="wait">{t.open}</Badge>}
            <div>
              <h3>{t.checks[name].title}</h3>
              {!isDone && <p className="muted">{t.checks[name].open}</p>}
              {!isDone && more}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
