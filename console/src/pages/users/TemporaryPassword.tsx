import { useChange } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Copy } from '../../parts/Copy.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { texts } from '../../texts/texts.ts'

/** A temporary password, which no later response has. */
export const ShownPassword = ({ password, onClose }: { password: string; onClose: () => void }) => (
  <Dialog title={texts.users.temporary} onClose={onClose}>
    <p>{texts.users.temporaryShown}</p>
    <p className="snippet">
      <Copy text={password} />
    </p>
    <div className="dialog-actions">
      <button type="button" className="primary" onClick={onClose}>
        {texts.parts.close}
      </button>
    </div>
  </Dialog>
)

/** Makes a password and shows it until the dialog is closed. */
export function TemporaryPassword({ userId, onClose }: { userId: string; onClose: () => void }) {
  const t = texts.users
  const make = useChange((api, path: { userId: string }) =>
    api.post('/admin/users/{userId}/reset-password', { path }),
  )
  if (make.data) return <ShownPassword password={make.data.temporaryPassword} onClose={onClose} />
  return (
    <Confirm
      title={t.temporary}
      submit={texts.parts.create}
      state={make}
      onConfirm={() => make.mutate({ userId })}
      onClose={onClose}
    >
      <p>{t.temporaryLead}</p>
    </Confirm>
  )
}
