import { accounts } from './accounts.ts'
import { audit } from './audit.ts'
import { explain } from './explain.ts'
import { home } from './home.ts'
import { imports } from './import.ts'
import { installation } from './installation.ts'
import { invitations } from './invitations.ts'
import { limits } from './limits.ts'
import { live } from './live.ts'
import { members } from './members.ts'
import { palette } from './palette.ts'
import { parts } from './parts.ts'
import { problems } from './problems.ts'
import { production } from './production.ts'
import { serviceAccounts } from './service-accounts.ts'
import { sessions } from './sessions.ts'
import { settings } from './settings.ts'
import { shell } from './shell.ts'
import { quickStart, systems } from './systems.ts'
import { testSignIn } from './test-sign-in.ts'
import { users } from './users.ts'
import { webhooks } from './webhooks.ts'

/** A section for each part of the application. Each language has the same keys. */
export const en = {
  accounts,
  audit,
  explain,
  home,
  imports,
  installation,
  invitations,
  limits,
  live,
  members,
  palette,
  parts,
  problems,
  production,
  quickStart,
  serviceAccounts,
  sessions,
  settings,
  shell,
  systems,
  testSignIn,
  users,
  webhooks,
}
