import { Navigate } from '@tanstack/react-router'
import { useMe } from '../api/context.ts'
import { fill, texts } from '../texts/texts.ts'
import { ContextList } from './ContextList.tsx'
import { SignedIn } from './SignedIn.tsx'

/** The context that this user opened last in this browser. */
export const lastContextOf = (userId: string) => `tenantry.context.${userId}`

function Contexts() {
  const { user, contexts } = useMe()
  const last = localStorage.getItem(lastContextOf(user.id))
  const known = contexts.find(({ key }) => key === last) ?? (contexts.length === 1 ? contexts[0] : undefined)
  if (known) return <Navigate to="/$context" params={{ context: known.key }} replace />
  return (
    <main className="alone">
      {contexts.length > 0 ? (
        <>
          <h1>{texts.shell.chooseContext}</h1>
          <ContextList />
        </>
      ) : (
        <>
          <h1>{texts.shell.noContext}</h1>
          <p>{fill(texts.shell.noContextLead, { email: user.email })}</p>
          <a className="button" href="/account">
            {texts.shell.ownProfile}
          </a>
        </>
      )}
    </main>
  )
}

export const RootPage = () => (
  <SignedIn>
    <Contexts />
  </SignedIn>
)
