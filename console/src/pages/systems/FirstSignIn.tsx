/** The steps of the quick start that the server knows the state of. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { versionOf } from '../../api/call.ts'
import { useMe, usePlace } from '../../api/context.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { Copy } from '../../parts/Copy.tsx'
import { FormProblem } from '../../parts/Failed.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Rich } from '../../parts/Rich.tsx'
import { relative } from '../../parts/Time.tsx'
import { fill, texts } from '../../texts/texts.ts'
import { canAddUsers } from './AddUser.tsx'
import type { QuickStart } from './quick-starts.ts'
import type { System } from './system.ts'
import './QuickStart.css'
import '../../parts/status-line.css'

type StepProps = {
  title: string
  lead?: ReactNode
  isDone?: boolean
  /** Sets the tick of a step that only the developer knows the state of. */
  onTick?: ((isDone: boolean) => void) | undefined
  children?: ReactNode
}

export const SetupStep = ({ title, lead, isDone = false, onTick, children }: StepProps) => (
  <li data-done={isDone}>
    <h3>
      {title}
      {isDone && <span className="only-read"> ({texts.home.stepDone})</span>}
    </h3>
    {lead && <p className="muted">{lead}</p>}
    {children}
    {onTick && (
      <label className="step-tick">
        <input type="checkbox" checked={isDone} onChange={({ target }) => onTick(target.checked)} />
        {texts.home.stepDone}
        <span className="only-read">: {title}</span>
      </label>
    )}
  </li>
)

/** A list with more entries, each once. */
const including = <Entry,>(list: readonly Entry[], more: readonly Entry[]) => [...new Set([...list, ...more])]

type Address = { system: System; redirectUri: string; isDone: boolean }

/** Adds the redirect URI, and where the sign-out continues: libraries differ in the slash at the end. */
export function AddRedirectUri({ system, redirectUri, isDone }: Address) {
  const t = texts.quickStart
  const { canChange } = usePlace()
  const { origin } = new URL(redirectUri)
  const add = useChange((api) =>
    api.patch('/admin/systems/{systemId}', {
      path: { systemId: system.id },
      body: {
        redirectUris: including(system.redirectUris, [redirectUri]),
        postLogoutRedirectUris: including(system.postLogoutRedirectUris, [origin, `${origin}/`]),
      },
      headers: { 'If-Match': versionOf(system) ?? '*' },
    }),
  )
  return (
    <SetupStep title={t.redirectUri} lead={t.redirectUriLead} isDone={isDone}>
      {isDone && <Copy text={redirectUri} />}
      {!isDone && canChange && (
        <div className="row">
          <button
            type="button"
            className="primary"
            aria-disabled={add.isPending}
            onClick={() => !add.isPending && add.mutate()}
          >
            {fill(t.addAddress, { address: redirectUri })}
          </button>
          <Link to="." search={{ tab: 'signIn' }}>
            {t.otherAddress}
          </Link>
        </div>
      )}
      <FormProblem error={add.error} />
    </SetupStep>
  )
}

type Scope = QuickStart['missingScopes'][number]
type MissingScopes = { system: System; scopes: Scope[] }

/** Allows the scopes that the quick start requests. */
export function AllowScopes({ system, scopes }: MissingScopes) {
  const t = texts.quickStart
  const { canChange } = usePlace()
  const allow = useChange((api) =>
    api.patch('/admin/systems/{systemId}', {
      path: { systemId: system.id },
      body: { allowedScopes: including(system.allowedScopes as Scope[], scopes) },
      headers: { 'If-Match': versionOf(system) ?? '*' },
    }),
  )
  return (
    <SetupStep title={t.scopes} lead={t.scopesLead}>
      {canChange && (
        <button
          type="button"
          className="primary"
          aria-disabled={allow.isPending}
          onClick={() => !allow.isPending && allow.mutate()}
        >
          {fill(t.allowScopes, { scopes: scopes.join(', ') })}
        </button>
      )}
      <FormProblem error={allow.error} />
    </SetupStep>
  )
}

/** Adds the user who signs in. */
export function AddFirstUser({ system }: { system: System }) {
  const t = texts.quickStart
  const { kind, canChange } = usePlace()
  const members = useRead('/admin/memberships', { query: { systemId: system.id, page: 1, pageSize: 1 } })
  if (!canAddUsers(system, kind === 'platform')) return null
  const hasUsers = (members.data?.total ?? 0) > 0
  return (
    <SetupStep
      title={texts.systems.addUser.action}
      lead={system.allowSelfRegister ? t.addUserOpen : t.addUserClosed}
      isDone={hasUsers}
    >
      {canChange && (
        <Link
          className={hasUsers ? 'button' : 'button primary'}
          to="."
          search={(before) => ({ ...before, new: 1 })}
          resetScroll={false}
        >
          {hasUsers ? t.addAnother : texts.systems.addUser.action}
        </Link>
      )}
    </SetupStep>
  )
}

/** 5 s, in ms. */
const POLL = 5_000

/** Waits for a user to sign in, while the page is visible. Without users there is nothing to wait for. */
export function useFirstSignIn({ id: systemId }: System, hasUsers: boolean) {
  const query = { systemId, action: 'session.opened', page: 1, pageSize: 1 }
  const opened = useRead('/admin/audit', { query }, { refetchInterval: POLL, enabled: hasUsers })
  return { isRead: opened.data !== undefined, latest: opened.data?.data[0] }
}

type SignIn = { origin: string | undefined; opened: ReturnType<typeof useFirstSignIn> }

/** `origin`: where the application runs, if it does. */
export function FirstSignIn({ origin, opened: { isRead, latest } }: SignIn) {
  const t = texts.quickStart
  const { email } = useMe().user
  const address = (
    <a href={origin} target="_blank" rel="noreferrer">
      {origin}
    </a>
  )
  const lead = origin === undefined ? t.signInPrinted : t.signInLead
  return (
    <SetupStep
      title={t.signIn}
      lead={<Rich text={lead} values={{ address, email }} />}
      isDone={latest !== undefined}
    >
      {isRead && (
        <p className="status-line" data-state={latest ? 'good' : 'wait'} role="status">
          <Icon name={latest ? 'check' : 'clock'} />
          {latest ? `${t.works} ${fill(t.worksLead, { time: relative(latest.time) })}` : t.waiting}
        </p>
      )}
    </SetupStep>
  )
}
