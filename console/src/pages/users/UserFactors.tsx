import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { type Answer, useChange, useRead } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { type Names, useNames } from '../../parts/names.ts'
import { Time } from '../../parts/Time.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { fill, texts } from '../../texts/texts.ts'
import type { User } from './user.ts'

type Factor = Answer<'/admin/users/{userId}/factors'>['data'][number]

/** What distinguishes it from the others of the user. */
const nameOf = ({ kind, name }: Factor): string =>
  name === null ? texts.users.factorKinds[kind] : `${texts.users.factorKinds[kind]} “${name}”`

/** The authenticator apps and passkeys that the caller may know of, each with its removal. */
export function UserFactors({ user }: { user: User }) {
  const t = texts.users
  const { canChange } = usePlace()
  const { data } = useRead('/admin/users/{userId}/factors', { path: { userId: user.id } })
  const factors = data?.data ?? []
  const names = useNames(factors.map(({ systemId }) => systemId))
  const [removed, setRemoved] = useState<Factor | 'all'>()
  const close = () => setRemoved(undefined)
  return (
    <section className="panel">
      <h2>{t.secondFactor}</h2>
      {factors.length === 0 && <p className="muted">{user.mfaEnabled ? t.factorOn : t.factorOff}</p>}
      <ul className="rows">
        {factors.map((factor) => (
          <li key={factor.id}>
            <FactorRow factor={factor} names={names} />
            {canChange && (
              <button
                type="button"
                aria-label={`${texts.parts.remove}: ${nameOf(factor)}`}
                onClick={() => setRemoved(factor)}
              >
                {texts.parts.remove}
              </button>
            )}
          </li>
        ))}
      </ul>
      {user.mfaEnabled && canChange && (
        <button type="button" onClick={() => setRemoved('all')}>
          {t.removeFactors}
        </button>
      )}
      {removed === 'all' && <RemoveFactors user={user} onClose={close} />}
      {removed && removed !== 'all' && <RemoveFactor user={user} factor={removed} onClose={close} />}
    </section>
  )
}

function FactorRow({ factor, names }: { factor: Factor; names: Names }) {
  const t = texts.users
  const { systemId, createdAt, lastUsedAt } = factor
  const system = systemId && (names.of(systemId)?.name ?? systemId)
  return (
    <span>
      <strong>{nameOf(factor)}</strong>
      <span className="below">{system ? fill(t.factorIn, { name: system }) : t.factorEverywhere}</span>
      <span className="below">
        {t.factorAdded}: <Time at={createdAt} />
        {' · '}
        {t.factorUsed}: <Time at={lastUsedAt} />
      </span>
    </span>
  )
}

type Props = { user: User; onClose: () => void }

function RemoveFactor({ user, factor, onClose }: Props & { factor: Factor }) {
  const t = texts.users
  const toast = useToast()
  const remove = useChange(
    (api, path: { userId: string; factorId: string }) =>
      api.delete('/admin/users/{userId}/factors/{factorId}', { path }),
    {
      onSuccess: () => {
        toast(fill(t.factorRemoved, { factor: nameOf(factor) }))
        onClose()
      },
    },
  )
  return (
    <Confirm
      title={fill(t.removeFactorTitle, { factor: nameOf(factor), name: user.name ?? user.email })}
      submit={texts.parts.remove}
      state={remove}
      onConfirm={() => remove.mutate({ userId: user.id, factorId: factor.id })}
      onClose={onClose}
    >
      <p>{t.removeFactorLead}</p>
    </Confirm>
  )
}

function RemoveFactors({ user, onClose }: Props) {
  const t = texts.users
  const toast = useToast()
  const remove = useChange(
    (api, userId: string) => api.post('/admin/users/{userId}/disable-mfa', { path: { userId } }),
    {
      onSuccess: () => {
        toast(t.factorsRemoved)
        onClose()
      },
    },
  )
  return (
    <Confirm
      title={fill(t.removeFactorsTitle, { name: user.name ?? user.email })}
      submit={texts.parts.remove}
      state={remove}
      onConfirm={() => remove.mutate(user.id)}
      onClose={onClose}
    >
      <p>{t.removeFactorsLead}</p>
    </Confirm>
  )
}
