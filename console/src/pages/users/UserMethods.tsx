import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useChange } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { fill, texts } from '../../texts/texts.ts'
import { UserFactors } from './UserFactors.tsx'
import type { User } from './user.ts'

/** How the user signs in, as far as the caller may know it. */
export function UserMethods({ user }: { user: User }) {
  const { canChange } = usePlace()
  const t = texts.users
  const { identities = [] } = user
  const [unlinking, setUnlinking] = useState<string>()
  return (
    <div className="panels">
      <section className="panel">
        <h2>{t.password}</h2>
        <p className="muted">
          {!user.hasPassword ? t.noPassword : user.mustChangePassword ? t.passwordTemporary : t.passwordSet}
        </p>
      </section>
      <UserFactors user={user} />
      <section className="panel">
        <h2>{t.identities}</h2>
        {identities.length === 0 && <p className="muted">{t.noIdentities}</p>}
        <ul className="rows">
          {identities.map(({ provider, subject, email }) => (
            <li key={provider}>
              <span>
                <strong>{provider}</strong>
                <span className="below">{email ?? subject}</span>
              </span>
              {canChange && (
                <button type="button" onClick={() => setUnlinking(provider)}>
                  {t.unlink}
                </button>
              )}
            </li>
          ))}
        </ul>
      </section>
      {unlinking && <Unlink user={user} provider={unlinking} onClose={() => setUnlinking(undefined)} />}
    </div>
  )
}

type Props = { user: User; onClose: () => void }

function Unlink({ user, provider, onClose }: Props & { provider: string }) {
  const t = texts.users
  const toast = useToast()
  const unlink = useChange(
    (api, path: { userId: string; provider: string }) =>
      api.delete('/admin/users/{userId}/social/{provider}', { path }),
    {
      onSuccess: () => {
        toast(t.unlinked)
        onClose()
      },
    },
  )
  return (
    <Confirm
      title={fill(t.unlinkTitle, { provider })}
      submit={t.unlink}
      state={unlink}
      onConfirm={() => unlink.mutate({ userId: user.id, provider })}
      onClose={onClose}
    >
      <p>{fill(t.unlinkLead, { name: user.name ?? user.email, provider })}</p>
    </Confirm>
  )
}
