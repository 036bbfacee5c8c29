import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { Icon } from '../../parts/Icon.tsx'
import { AddMember } from '../../parts/members/AddMember.tsx'
import { texts } from '../../texts/texts.ts'

/** Adds a user to an application or an organization. */
export function AddTo({ userId }: { userId: string }) {
  const { canChange } = usePlace()
  const [isAdding, setAdding] = useState(false)
  if (!canChange) return null
  return (
    <>
      <button type="button" onClick={() => setAdding(true)}>
        <Icon name="plus" />
        {texts.users.addTo}
      </button>
      {isAdding && <AddMember userId={userId} onClose={() => setAdding(false)} />}
    </>
  )
}
