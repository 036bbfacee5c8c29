import { redirect } from 'next/navigation'
import { accessToken, auth, endSession, signIn, signOut } from '../auth.js'

export const dynamic = 'force-dynamic'
const home = `http://localhost:${process.env.PORT}`

async function start() {
  'use server'
  await signIn('tenantry', { redirectTo: '/' })
}

async function end() {
  'use server'
  const session = await auth()
  await signOut({ redirect: false })
  redirect(endSession(session?.user.sid, `${home}/`))
}

export default async function Page() {
  const session = await auth()
  const token = session && (await accessToken(session.user.sid))
  if (!token)
    return (
      <form action={start}>
        <button type="submit">Sign in</button>
      </form>
    )
  const { email, accountId, membershipId } = session.user // key your own records by membershipId
  const answer = await fetch(`${home}/api/orders`, {
    headers: { authorization: `Bearer ${token}` },
    cache: 'no-store',
  })
  const api = `${answer.status} ${await answer.text()}`
  return (
    <>
      <p>
        Signed in as <b id="email">{email}</b>
      </p>
      <p>
        Account <b id="account">{accountId}</b>, membership {membershipId}
      </p>
      <p>
        API: <span id="api">{api}</span>
      </p>
      <form action={end}>
        <button type="submit">Sign out</button>
      </form>
    </>
  )
}
