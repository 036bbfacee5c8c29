import { useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { callAs, SIGN_IN_CODES, signInWith } from '../api/call.ts'
import { Problem } from '../api/problem.ts'
import { meQuery } from '../api/queries.ts'
import { forgetVisits } from '../palette/visits.ts'
import { Dialog } from '../parts/Dialog.tsx'
import { Failed } from '../parts/Failed.tsx'
import { adoptLanguage, texts } from '../texts/texts.ts'
import { SIGN_INS } from './DonePage.tsx'

type Reason = keyof typeof texts.shell.reasons

/** Where a user signs in as an error code requires, and continues at `next`. */
function signInAddress(code: string, next: string): string {
  const query = new URLSearchParams({ next })
  if (code === 'insufficient_user_authentication') query.set('recent', 'true')
  if (code === 'second_factor_required') query.set('factor', 'true')
  return `/console/sign-in?${query}`
}

const here = () => location.pathname + location.search

/** Shows its children to a signed-in user; others sign in and return to this page. */
export function SignedIn({ children }: { children: ReactNode }) {
  const me = useQuery({ ...meQuery, refetchInterval: 60_000 })
  const code = me.error instanceof Problem ? me.error.code : undefined
  useEffect(() => {
    if (!code || !SIGN_IN_CODES.includes(code) || me.data) return
    forgetVisits()
    location.replace(signInAddress(code, here()))
  }, [code, me.data])
  useEffect(() => {
    if (!me.data) return
    forgetVisits(me.data.user.id)
    adoptLanguage(me.data.user.locale)
  }, [me.data])
  if (me.data) {
    callAs(me.data.user.id)
    return (
      <Suspense>
        {children}
        <SignInDialog />
      </Suspense>
    )
  }
  if (me.error && !SIGN_IN_CODES.includes(code ?? ''))
    return (
      <main className="alone">
        <Failed error={me.error} onRetry={() => void me.refetch()} />
      </main>
    )
  return null // the outline of index.html is shown
}

type Asked = { code: Reason; resolve: (signedIn: boolean) => void }

/** Asks the user to sign in again, in a window of its own, and repeats what required it. */
function SignInDialog() {
  const [asked, setAsked] = useState<Asked[]>([])
  const [first] = asked
  useEffect(() => {
    const answer = (signedIn: boolean) =>
      setAsked((all) => {
        for (const { resolve } of all) resolve(signedIn)
        return []
      })
    signInWith(
      (code) => new Promise((resolve) => setAsked((all) => [...all, { code: code as Reason, resolve }])),
    )
    const channel = new BroadcastChannel(SIGN_INS)
    channel.onmessage = () => answer(true)
    return () => channel.close()
  }, [])
  if (!first) return null
  const close = () => {
    for (const { resolve } of asked) resolve(false)
    setAsked([])
  }
  const address = signInAddress(first.code, '/console/done')
  return (
    <Dialog title={texts.shell.signInAgain} onClose={close}>
      <p>{texts.shell.reasons[first.code]}</p>
      <div className="dialog-actions">
        <button type="button" onClick={close}>
          {texts.parts.cancel}
        </button>
        <a className="button primary" href={address} target="tenantry-sign-in">
          {texts.shell.signInAgain}
        </a>
      </div>
    </Dialog>
  )
}
