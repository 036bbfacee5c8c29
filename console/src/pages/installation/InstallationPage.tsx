import { createElement } from 'react'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { MailList } from '../../parts/mail/MailList.tsx'
import { Page } from '../../parts/Page.tsx'
import { Tabs, useTab } from '../../parts/Tabs.tsx'
import { texts } from '../../texts/texts.ts'
import { Jobs } from './Jobs.tsx'
import { SigningKeys } from './Keys.tsx'
import { Limits } from './Limits.tsx'
import { Operators } from './Operators.tsx'
import { InstallationOverview } from './Overview.tsx'
import { Settings } from './Settings.tsx'

const PANELS = {
  overview: InstallationOverview,
  operators: Operators,
  keys: SigningKeys,
  mail: MailList,
  jobs: Jobs,
  limits: Limits,
  settings: Settings,
}

/** What concerns the server as a whole. */
export function InstallationPage() {
  const t = texts.installation
  const tabs = {
    overview: t.overview,
    operators: t.operators,
    keys: t.keys,
    mail: t.mail,
    jobs: t.jobs,
    limits: texts.limits.title,
    settings: t.settings,
  }
  const tab = useTab(tabs)
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={tab === 'overview' && <ApiCalls calls={[{ path: '/admin/installation' }]} />}
    >
      <Tabs label={t.title} tabs={tabs} />
      {createElement(PANELS[tab])}
    </Page>
  )
}
