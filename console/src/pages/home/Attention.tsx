import { Link } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { Icon, type IconName } from '../../parts/Icon.tsx'
import type { PageLink } from '../../parts/links.ts'
import { count, texts } from '../../texts/texts.ts'
import type { Summary } from './Numbers.tsx'
import './Attention.css'

type Pending = { key: string; icon: IconName; text: string; link: PageLink }

/** What waits for a person: each leads to the page where it is done. `failedMail`: a number of emails. */
export function Attention({ summary, failedMail }: { summary: Summary; failedMail: number }) {
  const t = texts.home
  const { key } = usePlace()
  const { pendingMemberships, failingWebhooks = 0 } = summary
  const all: (Pending & { number: number })[] = [
    {
      key: 'approvals',
      icon: 'check',
      number: pendingMemberships,
      text: count(t.pendingMemberships, pendingMemberships),
      link: { to: '/$context/approvals', params: { context: key } },
    },
    {
      key: 'webhooks',
      icon: 'hook',
      number: failingWebhooks,
      text: count(t.failingWebhooks, failingWebhooks),
      link: { to: '/$context/webhooks', params: { context: key } },
    },
    {
      key: 'mail',
      icon: 'alert',
      number: failedMail,
      text: count(t.failedMail, failedMail),
      link: {
        to: '/$context/installation',
        params: { context: key },
        search: { tab: 'mail', status: 'failed' },
      },
    },
  ]
  const pending = all.filter(({ number }) => number > 0)
  if (pending.length === 0) return null
  return (
    <section className="panel attention">
      <h2>{t.attention}</h2>
      <ul>
        {pending.map(({ key: each, icon, text, link }) => (
          <li key={each}>
            <Link {...link}>
              <Icon name={icon} />
              {text}
              <Icon name="right" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
