import { type ReactNode, useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../Icon.tsx'
import { Invite } from './Invite.tsx'

type Account = { id: string; systemId: string }

/** The button that invites to an organization, for those who may, and its dialog while it is open. */
export function useInvite(account: Account | undefined): { button: ReactNode; dialog: ReactNode } {
  const { canChange } = usePlace()
  const [isOpen, setOpen] = useState(false)
  if (!canChange || !account) return { button: null, dialog: null }
  return {
    button: (
      <button type="button" className="primary" onClick={() => setOpen(true)}>
        <Icon name="plus" />
        {texts.invitations.invite}
      </button>
    ),
    dialog: isOpen && (
      <Invite accountId={account.id} systemId={account.systemId} onClose={() => setOpen(false)} />
    ),
  }
}
